// expect: safe
// Before or after: what the operators give and what they leave.

#include <assert.h>

int main(void) {
    int i = 3, a[3] = {5, 6, 7}, *p = a;
    int x = i++ * 2;
    int y = --i;
    int z = *p++;
    int w = ++*p;
    assert(x == 6 && y == 3 && z == 5);
    assert(w == 7 && a[1] == 7);
    assert((*p)++ == 7 && a[1] == 8);
    return 0;
}
