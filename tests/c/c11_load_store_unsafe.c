// expect: unsafe threads=2
// line: 20
// A load inside a store makes two steps.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static void *child(void *arg) {
    atomic_store(&n, atomic_load(&n) + 1);
    return arg;
}
int main(void) {
    pthread_t t;
    atomic_init(&n, 0);
    pthread_create(&t, 0, child, 0);
    atomic_fetch_add(&n, 1);
    pthread_join(t, 0);
    assert(atomic_exchange(&n, 9) == 2);
    assert(atomic_fetch_sub(&n, 1) == 9);
    return 0;
}
