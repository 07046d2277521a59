// expect: unsafe threads=1
// line: 7
#include <assert.h>
void __VERIFIER_nondet_memory(void *, unsigned long);
struct pair { int a; short b; } p;
int main(void) {
    __VERIFIER_nondet_memory(&p, sizeof p), assert(p.b == 0);
    return 0;
}
