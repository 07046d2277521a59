// expect: unsafe threads=1
// line: 19
// Pointers to locals, to pointers, and as parameters.

#include <assert.h>

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
int main(void) {
    int x = 1, y = 2;
    int *p = &x, **pp = &p;
    swap(&x, &y);
    assert(x == 2 && y == 1);
    *pp = &y;
    *p = 8;
    assert(x == 8);
    assert(p != 0 && p == &y);
    return 0;
}
