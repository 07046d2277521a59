// expect: safe
// Enumerations count on from the last value.

#include <assert.h>

enum colour { RED, GREEN = 5, BLUE, DARK = -1, NEXT };
int main(void) {
    enum colour c = BLUE;
    assert(RED == 0 && c == 6);
    assert(NEXT == 0);
    c = (enum colour)(c - 1);
    assert(c == GREEN);
    return 0;
}
