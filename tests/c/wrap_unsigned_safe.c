// expect: safe
// Unsigned arithmetic is modulo a power of two.

#include <assert.h>
#include <stdint.h>

int main(void) {
    uint8_t a = 0;
    uint32_t b = 0;
    uint64_t c = 1;
    a--;
    b -= 2;
    c = c * 0x8000000000000000u * 2;
    assert(a == 255);
    assert(c == 0);
    assert(b == 0xfffffffe);
    return 0;
}
