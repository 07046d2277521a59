// expect: unsafe threads=1
// line: 13
// __builtin_unreachable is undefined behaviour either way.

#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int x = 0;
    if (__VERIFIER_nondet_bool()) {
        x = 1;
    }
    assert(x == 0);
    return 0;
}
