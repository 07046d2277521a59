// expect: unsafe threads=1
// line: 15
// Division rounds towards zero; the remainder has the sign of the left operand.

#include <assert.h>

int main(void) {
    int a = -7, b = 2;
    assert(a / b == -3);
    assert(a % b == -1);
    assert(7 / -2 == -3 && 7 % -2 == 1);
    unsigned u = -7;
    assert(u / 2 == 2147483644u);
    a %= 4;
    assert(a == 1);
    return 0;
}
