// expect: unsafe threads=1
// line: 13
// A signed char is from -128 to 127.

#include <assert.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char c = __VERIFIER_nondet_char();
    int i = __VERIFIER_nondet_int();
    assert((i < 0) + (i == 0) + (i > 0) == 1);
    assert(c >= -127);
    return 0;
}
