// expect: safe
// 
// is evaluated only where it decides.
// The right operand of && and

#include <assert.h>

static int calls;
static int yes(void) {
    calls++;
    return 7;
}
int main(void) {
    int zero = 0;
    int a = zero && yes();
    int b = 1 || yes();
    assert(calls == 0);
    int c = yes() && yes();
    int *p = 0;
    int d = p && *p;
    assert(a == 0 && b == 1 && d == 0);
    assert(c == 1 && calls == 2);
    return 0;
}
