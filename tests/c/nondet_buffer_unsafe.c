// expect: unsafe threads=1
// line: 8
#include <assert.h>
void __VERIFIER_nondet_bytes(void *p, unsigned long n);
int main(void) {
    int a[2] = {0, 0};
    __VERIFIER_nondet_bytes(a, sizeof a);
    assert(a[1] == 0);
    return 0;
}
