// expect: unsafe threads=1
// line: 15
// Widening keeps the sign of what is widened.

#include <assert.h>

int main(void) {
    signed char c = -3;
    unsigned char u = 253;
    long long wide = c;
    unsigned long long big = c;
    assert(wide == -3);
    assert(big == 18446744073709551613ULL);
    assert((long long)u == 253);
    assert((unsigned)c == 253u);
    return 0;
}
