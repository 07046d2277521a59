// expect: unsafe threads=2
// line: 12
// `main` does nothing any more but end, and a thread waits for that.

#include <assert.h>
#include <pthread.h>

pthread_t first;

void *worker(void *argument) {
    pthread_join(first, 0);
    assert(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, worker, 0);
    pthread_exit(0);
}
