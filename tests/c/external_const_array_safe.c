// expect: safe
// A pointer to const is only read through.
#include <assert.h>
int sum(const int *a, int n);
int main(void) {
    int a[3] = {1, 2, 3};
    int s = sum(a, 3);
    (void)s;
    assert(a[2] == 3);
    return 0;
}
