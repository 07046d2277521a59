// expect: unsafe threads=2
// property: leak
// about: P-30: what a thread is about to give to others is lost with it
// lines: 19
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
    return 0;
}
