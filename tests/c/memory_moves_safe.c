// expect: safe
// ways: concrete
// Moving an unknown number of elements that overlap.
#include <assert.h>
#include <string.h>
static int a[6] = {1, 2, 3, 4, 5, 6};
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        return 0;
    memmove(a + 1, a, n * sizeof *a);
    assert(a[0] == 1 && a[1] == 1);
    assert(a[n] == n);
    return 0;
}
