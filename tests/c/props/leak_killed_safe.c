// expect: safe
// property: leak
// about: P-30: main returns once the thread is done
#include <pthread.h>
#include <stdlib.h>

static void *child(void *unused)
{
    int *p = malloc(sizeof *p);
    free(p);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, 0);
    return 0;
}
