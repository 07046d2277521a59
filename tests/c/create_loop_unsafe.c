// expect: unsafe threads=3
// line: 12
// Any number of threads, one at a time in the critical section.

#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Bool inside;
static void *child(void *arg) {
    assert(!inside);
    inside = 1;
    inside = 0;
    return arg;
}
int main(void) {
    while (__VERIFIER_nondet_bool()) {
        pthread_t t;
        pthread_create(&t, 0, child, 0);
    }
    return 0;
}
