// expect: safe
// switch with fall-through, ranges and default in the middle.

#include <assert.h>

static int kind(int c) {
    int r = 0;
    switch (c) {
    case 0:
        r += 1;
    case 1:
        r += 2;
        break;
    default:
        r = 9;
        break;
    case 10 ... 20:
        r = 5;
    case -1:
        r++;
    }
    return r;
}
int main(void) {
    assert(kind(0) == 3 && kind(1) == 2 && kind(-1) == 1 && kind(21) == 9);
    assert(kind(10) == 6 && kind(20) == 6);
    return 0;
}
