// expect: safe
// What `main` writes last is what was there.

#include <assert.h>
#include <pthread.h>

int flag;

void *worker(void *argument) {
    assert(!flag);
    return 0;
}

int main(void) {
    pthread_t thread;
    int seen;
    pthread_create(&thread, 0, worker, 0);
    flag = 0;
    while (1)
        seen = flag;
}
