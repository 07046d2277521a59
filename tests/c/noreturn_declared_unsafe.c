// expect: unsafe threads=1
// line: 23
// What is declared not to return does not: by attribute, keyword, and in the type of a pointer.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
void die(void) __attribute__((noreturn));
_Noreturn void leave(int);
void (*stop)(void) __attribute__((noreturn)) = die;
void done(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 1)
        die();
    if (x == 2)
        leave(x);
    if (x == 3)
        stop();
    if (x == 4)
        done();
    assert(x < 1 || x > 4);
    return 0;
}
