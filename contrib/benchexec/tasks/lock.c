// Two threads count under a mutex: no update is lost.
#include <pthread.h>

void reach_error(void) {}

int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&mutex);
    count = count + 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (count != 2)
        reach_error();
    return 0;
}
