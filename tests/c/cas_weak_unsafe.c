// expect: unsafe threads=1
// line: 13
// A weak compare-exchange may fail although the values are equal; then expected stays.

#include <assert.h>
#include <stdatomic.h>

static atomic_int n;
int main(void) {
    int expected = 0;
    _Bool done = atomic_compare_exchange_weak(&n, &expected, 1);
    assert(expected == 0);
    assert(n == 1);
    return 0;
}
