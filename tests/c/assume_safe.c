// expect: safe
// What is assumed holds afterwards, whichever tool's name is used.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __CPROVER_assume(_Bool);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    __CPROVER_assume(x <= 3);
    assert(x * x <= 9);
    return 0;
}
