// expect: safe
// An external function that is declared so does not return.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
_Noreturn void give_up(int *why);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 3) {
        give_up(&x);
    }
    assert(x <= 3);
    return 0;
}
