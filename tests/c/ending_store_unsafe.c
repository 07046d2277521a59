// expect: unsafe threads=2
// line: 11
// `main` writes, and then looks and waits for ever.

#include <assert.h>
#include <pthread.h>

int flag, seen;

void *worker(void *argument) {
    assert(!flag);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    flag = 1;
    while (1)
        seen = flag;
}
