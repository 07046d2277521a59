// expect: unsafe threads=1
// line: 12
// An access out of bounds is undefined behaviour.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[3] = {1, 2, 3};
    int i = __VERIFIER_nondet_int();
    int x = a[i];
    assert(i >= 0 && i < 2 && x == i + 1);
    return 0;
}
