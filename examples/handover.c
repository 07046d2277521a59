// One value handed over under a mutex: the reader sees either nothing or all of it.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value, ready;

void *writer(void *argument)
{
    pthread_mutex_lock(&mutex);
    value = 42;
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&mutex);
    if (ready)
        assert(value == 42);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    assert(ready);
    return 0;
}
