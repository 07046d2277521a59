// expect: safe
// Conversion to _Bool asks whether the value is other than zero.

#include <assert.h>
#include <stdbool.h>

int main(void) {
    _Bool b = 256;
    bool c = -1;
    int x;
    assert(b == 1 && c == true);
    b = (unsigned char)256;
    assert(b == false);
    b++;
    b++;
    assert(b == 1);
    b--;
    b--;
    assert(b == 1);
    b = &x;
    assert(b);
    return 0;
}
