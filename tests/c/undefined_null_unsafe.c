// expect: unsafe threads=1
// line: 11
// Reading through null is undefined behaviour.

#include <assert.h>

int main(void) {
    int x = 0;
    int *p = &x;
    int y = *p;
    assert(y == 1);
    return 0;
}
