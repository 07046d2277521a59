// expect: safe
// Compound assignments compute in the common type and convert back.

#include <assert.h>

int main(void) {
    unsigned char c = 250;
    int i = 7;
    c += 10;
    assert(c == 4);
    i *= 3;
    assert(i == 21);
    c -= 5;
    assert(c == 255);
    short s = 1;
    s <<= 15;
    assert(s == -32768);
    c++;
    assert(c == 0);
    return 0;
}
