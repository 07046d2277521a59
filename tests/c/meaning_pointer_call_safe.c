// expect: safe
// undefined: 16 (a call through a pointer to no function that takes these arguments)
// A call with another number of arguments, or with one of another size, is undefined behaviour.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
static int one(int value) { return value; }
static int wide(long value) { return value != 0; }
int main(void) {
    if (__VERIFIER_nondet_int()) {
        int (*none)(void) = (int (*)(void))one;
        none();
    } else {
        int (*narrow)(int) = (int (*)(int))wide;
        narrow(1);
    }
    assert(0);
    return 0;
}
