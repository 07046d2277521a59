// expect: unsafe threads=1
// line: 12
// What an external function returns may point into its argument.
#include <assert.h>
int *pick(const int *a);
int main(void) {
    int a[2] = {0, 0};
    int *p = pick(a);
    if (p != 0 && p == &a[1]) {
        *p = 1;
    }
    assert(a[1] == 0);
    return 0;
}
