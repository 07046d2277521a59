// expect: unsafe threads=1
// line: 12
// A weak compare-exchange may fail although the values are equal, also on an object that no other thread has.

#include <assert.h>
#include <stdatomic.h>

int main(void) {
    _Atomic int x = 0;
    int expected = 0;
    _Bool done = atomic_compare_exchange_weak(&x, &expected, 1);
    assert(done);
    return 0;
}
