// expect: safe
// undefined: 13 (division by zero)
// What nobody uses is evaluated all the same: no thread gets past a division by zero.

#include <assert.h>
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
static int half(int value, int unused) { (void)unused; return value / 2; }
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int d = __VERIFIER_nondet_int(), e = __VERIFIER_nondet_int();
    (void)(7 / a);
    if (7 % b) {}
    int dead = 7 / c;
    half(4, 7 / d);
    (void)sizeof(7 / (a - a));
    switch (7 / e) {}
    (void)dead;
    assert(a != 0 && b != 0 && c != 0 && d != 0 && e != 0);
    return 0;
}
