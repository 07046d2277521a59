// expect: safe
// __sync_lock_test_and_set gives the old value.

#include <assert.h>
#include <pthread.h>

static int lock, n;
static void enter(void) {
    while (__sync_lock_test_and_set(&lock, 1))
        ;
}
static void *child(void *arg) {
    enter();
    n++;
    __sync_lock_release(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    enter();
    n++;
    __sync_lock_release(&lock);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
