// expect: safe
// And, or, exclusive or, complement and their assignments.

#include <assert.h>

int main(void) {
    unsigned char x = 0x5a;
    x |= 0x0f;
    assert(x == 0x5f);
    x &= ~0x11;
    x ^= 0xff;
    assert(x == 0xb1);
    assert((0x0f & 0x3c) == 0x0c);
    assert(!x == 0 && !!x == 1);
    return 0;
}
