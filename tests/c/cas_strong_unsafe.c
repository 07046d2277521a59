// expect: unsafe threads=2
// line: 23
// Adding with a compare-exchange in a loop.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static void add(void) {
    int old = atomic_load(&n);
    atomic_compare_exchange_strong(&n, &old, old + 1);
}
static void *child(void *arg) {
    add();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    add();
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
