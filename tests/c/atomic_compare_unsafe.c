// expect: unsafe threads=2
// line: 18
// A failed __atomic_compare_exchange_n stores what it saw.

#include <assert.h>
#include <pthread.h>

static int n;
static void *child(void *arg) {
    __atomic_store_n(&n, 1, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void) {
    pthread_t t;
    int expected = 0;
    pthread_create(&t, 0, child, 0);
    _Bool done = __atomic_compare_exchange_n(&n, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(done);
    pthread_join(t, 0);
    return 0;
}
