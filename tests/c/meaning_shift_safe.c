// expect: safe
// A shift too far has no meaning.

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int n = __VERIFIER_nondet_uchar();
    unsigned x = 1u << n;
    assert(n < 32 && x != 0);
    return 0;
}
