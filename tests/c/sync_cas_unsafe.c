// expect: unsafe threads=2
// line: 22
// A lock out of __sync_bool_compare_and_swap.

#include <assert.h>
#include <pthread.h>

static int lock, n;
static void *child(void *arg) {
    if (__sync_bool_compare_and_swap(&lock, 0, 1)) {
        n = 1;
        n = 0;
        __sync_lock_release(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    if (lock == 0) {
        lock = 1;
        assert(n == 0);
        __sync_synchronize();
        __sync_lock_release(&lock);
    }
    pthread_join(t, 0);
    return 0;
}
