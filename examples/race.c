// Workers that look whether the lock is free and take it in two steps: two of them may get in.
#include <assert.h>
#include <pthread.h>

int taken, inside;

void *worker(void *argument)
{
    while (taken)
        ;
    taken = 1;
    assert(!inside);
    inside = 1;
    inside = 0;
    taken = 0;
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, worker, 0);
}
