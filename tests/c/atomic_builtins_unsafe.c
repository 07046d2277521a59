// expect: unsafe threads=2
// line: 18
// The __atomic family.

#include <assert.h>
#include <pthread.h>

static int n;
static void *child(void *arg) {
    __atomic_fetch_add(&n, 2, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __atomic_store_n(&n, __atomic_load_n(&n, __ATOMIC_SEQ_CST) + 3, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    assert(n == 5);
    int old = __atomic_exchange_n(&n, 12, __ATOMIC_SEQ_CST);
    assert(old == 5);
    assert(__atomic_fetch_and(&n, 10, __ATOMIC_SEQ_CST) == 12 && n == 8);
    assert(__atomic_fetch_nand(&n, 8, __ATOMIC_SEQ_CST) == 8 && n == ~8);
    return 0;
}
