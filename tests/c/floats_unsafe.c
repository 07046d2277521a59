// expect: unsafe threads=1
// ways: concrete
// line: 21
// Binary32 and binary64, and conversions.

#include <assert.h>

int main(void) {
    float f = 0.1f;
    double d = 0.1;
    assert(f != d);
    assert((_Bool)0.5 == 1);
    int i = 7;
    i *= 1.5;
    assert(i == 10);
    assert(0.5f + 0.25 == 0.75);
    assert((int)-2.9 == -2);
    assert((float)16777217 == 16777216.0f);
    d = 7;
    d /= 2;
    assert(d == 3);
    assert(1 / 2 * 2.0 == 0 && 1.0 / 0.0 > 1e308);
    return 0;
}
