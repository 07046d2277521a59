// expect: unsafe threads=2
// line: 24
// A spin lock out of an atomic_flag.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag f = ATOMIC_FLAG_INIT;
static int n;
static void *child(void *arg) {
    while (atomic_flag_test_and_set(&f))
        ;
    n++;
    atomic_flag_clear(&f);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    n++;
    atomic_flag_clear_explicit(&f, memory_order_release);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
