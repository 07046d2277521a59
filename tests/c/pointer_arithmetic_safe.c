// expect: safe
// Pointers count elements; their difference too.

#include <assert.h>
#include <stddef.h>

int main(void) {
    int a[5] = {10, 11, 12, 13, 14};
    int *p = a + 1, *q = &a[4];
    ptrdiff_t d = q - p;
    assert(d == 3);
    assert(p < q && *(p + 2) == 13 && p[-1] == 10);
    assert((char *)q - (char *)p == 12);
    int v = *p++;
    assert(v == 11 && *p == 12);
    v = *--q;
    assert(v == 13);
    return 0;
}
