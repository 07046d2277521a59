// expect: unsafe threads=1
// line: 15
// A signed and an unsigned operand: the comparison is unsigned where the ranks are equal.

#include <assert.h>

int main(void) {
    int a = -1;
    unsigned b = 1;
    long wide = -1;
    assert(a > b);
    assert(wide < b);
    assert((unsigned char)a == 255);
    short s = (short)40000;
    assert(s == 40000);
    return 0;
}
