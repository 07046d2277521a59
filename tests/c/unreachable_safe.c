// expect: safe
// undefined: 12 (`__builtin_unreachable` was reached)
// __builtin_unreachable is undefined behaviour, too.

#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int x = 0;
    if (__VERIFIER_nondet_bool()) {
        x = 1;
        __builtin_unreachable();
    }
    assert(x == 0);
    return 0;
}
