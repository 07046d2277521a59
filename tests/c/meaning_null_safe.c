// expect: safe
// Reading through null has no meaning.

#include <assert.h>

int main(void) {
    int x = 0;
    int *p = &x;
    p = 0;
    int y = *p;
    assert(y == 1);
    return 0;
}
