// expect: unsafe threads=2
// line: 12
// The last thing that `main` does lets the worker go on.

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&m);
    assert(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&m);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return 0;
}
