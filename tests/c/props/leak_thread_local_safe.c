// expect: safe
// property: leak
// about: a thread-local object leads to memory as long as the thread is there
#include <pthread.h>
#include <stdlib.h>

static _Thread_local int *own;
static void *child(void *unused)
{
    own = malloc(sizeof *own);
    for (;;)
        ;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_exit(0);
}
