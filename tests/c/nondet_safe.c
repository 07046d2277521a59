// expect: safe
// A value of a type is any value of that type.

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    unsigned char c = __VERIFIER_nondet_uchar();
    _Bool b = __VERIFIER_nondet_bool();
    assert(b == 0 || b == 1);
    assert(c <= 255);
    return 0;
}
