// expect: safe
// undefined: 11 (out of bounds)
// An access out of bounds is undefined behaviour.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[3] = {1, 2, 3};
    int i = __VERIFIER_nondet_int();
    int x = a[i];
    assert(i >= 0 && i < 3 && x == i + 1);
    return 0;
}
