// expect: unsafe threads=2
// line: 24
// The assertion looks under another lock than the threads hold.

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int busy = 0;

void *worker(void *argument) {
    pthread_mutex_lock(&m);
    busy++;
    busy--;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t threads[400];
    for (int i = 0; i < 400; i++)
        pthread_create(&threads[i], 0, worker, 0);
    pthread_mutex_lock(&other);
    assert(busy == 0);
    pthread_mutex_unlock(&other);
    for (int i = 0; i < 400; i++)
        pthread_join(threads[i], 0);
    return 0;
}
