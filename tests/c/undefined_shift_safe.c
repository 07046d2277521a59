// expect: safe
// undefined: 10 (shift too far)
// A shift too far is undefined behaviour.

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int n = __VERIFIER_nondet_uchar();
    unsigned x = 1u << n;
    assert(n < 32 && x != 0);
    return 0;
}
