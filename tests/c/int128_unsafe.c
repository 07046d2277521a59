// expect: unsafe threads=1
// line: 15
// Integers of 128 bits.

#include <assert.h>

int main(void) {
    unsigned __int128 u = (unsigned __int128)1 << 100;
    __int128 s = -1;
    assert((unsigned long long)(u >> 64) == 1ULL << 36);
    assert(s < 0 && (unsigned __int128)s > u);
    s = s * 0x7fffffffffffffffLL * 16;
    assert((long long)(s >> 64) == -8);
    unsigned __int128 q = u / 3;
    assert(q * 3 == u);
    return 0;
}
