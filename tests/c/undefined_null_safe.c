// expect: safe
// undefined: 11 (null pointer)
// Reading through null is undefined behaviour.

#include <assert.h>

int main(void) {
    int x = 0;
    int *p = &x;
    p = 0;
    int y = *p;
    assert(y == 1);
    return 0;
}
