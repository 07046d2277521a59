// expect: safe
// Calls through pointers and tables of functions.

#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int apply(operation f, int a) { return f(a, 2); }
int main(void) {
    operation table[] = {add, &subtract};
    int which = __VERIFIER_nondet_bool();
    int r = apply(table[which], 7);
    assert((*table[0])(1, 1) == 2);
    assert(r == (which ? 5 : 9));
    return 0;
}
