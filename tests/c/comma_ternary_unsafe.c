// expect: unsafe threads=1
// line: 15
// The comma and conditional operators.

#include <assert.h>

int main(void) {
    int a = 1, b = (a++, a * 5);
    assert(a == 2 && b == 10);
    int c = a > 5 ? a : b > 5 ? (b = 0, 3) : 4;
    assert(b == 0);
    long d = 1 ? -1 : 1u;
    assert(d == 4294967295L);
    int e = c ?: 8;
    assert(e == 8);
    return 0;
}
