// expect: safe
// A function nobody knows returns any value and writes what its argument points to.

#include <assert.h>

extern int measure(int *where);
static int untouched = 3;
int main(void) {
    int x = 1;
    int r = measure(&x);
    int negative = r < 0;
    assert(negative == 0 || negative == 1);
    assert(untouched == 3);
    return 0;
}
