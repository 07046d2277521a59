// expect: safe
// property: leak
// about: P-30 is about the return of main: exit leaves the locals of all threads
#include <pthread.h>
#include <stdlib.h>

static int *kept;
static void *child(void *unused)
{
    int *p = malloc(sizeof *p);
    kept = p;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    exit(0);
}
