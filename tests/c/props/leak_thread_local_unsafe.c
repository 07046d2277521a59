// expect: unsafe threads=2
// property: leak
// about: a thread-local object is gone with its thread
#include <pthread.h>
#include <stdlib.h>

static _Thread_local int *own;
static void *child(void *unused)
{
    own = malloc(sizeof *own);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_exit(0);
}
