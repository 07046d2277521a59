// expect: safe
// Shifts: arithmetic for signed values, logical for unsigned ones.

#include <assert.h>

int main(void) {
    int a = -8;
    unsigned b = 0xf0000000u;
    unsigned char c = 0x81;
    assert(a >> 1 == -4);
    assert(b >> 28 == 15);
    assert(1u << 31 == 0x80000000u);
    c <<= 1;
    assert(c == 2);
    assert(1LL << 40 == 1099511627776LL);
    return 0;
}
