// expect: safe
// Bit-fields: stored modulo their width, read with their sign.

#include <assert.h>

struct flags {
    unsigned low : 3;
    unsigned middle : 4;
    int high : 2;
    _Bool bit : 1;
};
int main(void) {
    struct flags f = {0};
    f.low = 9;
    f.middle = 15;
    f.high = 3;
    f.bit = 2;
    assert(f.low == 1);
    assert(f.bit == 1);
    f.middle++;
    assert(f.middle == 0);
    assert(f.high == -1);
    return 0;
}
