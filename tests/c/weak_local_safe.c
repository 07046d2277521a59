// expect: safe
// A weak compare-exchange that is repeated until it succeeds; one that fails changes nothing.

#include <assert.h>
#include <stdatomic.h>

int main(void) {
    _Atomic int x = 0;
    int expected = 0;
    _Bool done = atomic_compare_exchange_weak(&x, &expected, 1);
    assert(expected == 0 && x == done);
    return 0;
}
