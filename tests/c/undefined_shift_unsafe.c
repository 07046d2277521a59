// expect: unsafe threads=1
// line: 11
// A shift too far is undefined behaviour.

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int n = __VERIFIER_nondet_uchar();
    unsigned x = 1u << n;
    assert(n < 31 && x != 0);
    return 0;
}
