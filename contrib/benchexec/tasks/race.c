// Two threads count without a lock: an update may be lost.
#include <pthread.h>

void reach_error(void) {}

int count;

void *worker(void *argument) {
    count = count + 1;
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
