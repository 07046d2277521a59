// expect: unsafe threads=1
// line: 13
// _Generic chooses by type.

#include <assert.h>

#define KIND(x) _Generic((x), char: 1, int: 2, unsigned long: 3, default: 4)
int main(void) {
    char c = 0;
    assert(KIND(c) == 1);
    assert(KIND(c + c) == 2);
    assert(KIND(sizeof c) == 3);
    assert(KIND('a') == 1);
    return 0;
}
