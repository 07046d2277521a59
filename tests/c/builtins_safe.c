// expect: safe
// Builtins of GNU C.

#include <assert.h>

int main(void) {
    int sum;
    assert(__builtin_expect(1, 1));
    assert(__builtin_popcount(0xf1) == 5);
    assert(__builtin_ctz(8) == 3 && __builtin_clz(1) == 31);
    assert(__builtin_constant_p(3));
    assert(!__builtin_add_overflow(1, 2, &sum) && sum == 3);
    return 0;
}
