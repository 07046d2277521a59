// expect: safe
// undefined: 11 (a count of zeros of 0)
// The leading zeros of 0 are not defined.

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned number = __VERIFIER_nondet_uchar() & 3;
    int zeros = __builtin_clz(number);
    assert(zeros >= 30);
    return 0;
}
