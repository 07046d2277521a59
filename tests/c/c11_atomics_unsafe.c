// expect: unsafe threads=2
// line: 23
// C11: operators on an atomic object are one step; x = x + 1 is two.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int n;
static atomic_uint k;
static void *child(void *arg) {
    n += 1;
    atomic_fetch_or(&k, 1u);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    n = n + 1;
    atomic_fetch_or_explicit(&k, 4u, memory_order_seq_cst);
    pthread_join(t, 0);
    assert(atomic_load(&k) == 5u);
    assert(n == 2);
    return 0;
}
