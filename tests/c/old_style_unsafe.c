// expect: unsafe threads=1
// line: 15
// A definition in the old style, and one without a prototype.

#include <assert.h>

static int add(a, b)
    int a;
    short b;
{
    return a + b;
}
static int one() { return 1; }
int main(void) {
    assert(add(2, 3) == one());
    return 0;
}
