// expect: safe
// ways: concrete
// Two functions that call each other, and a pointer to a local of the caller.

#include <assert.h>

static int odd(int n, int *steps);
static int even(int n, int *steps) {
    ++*steps;
    return n == 0 ? 1 : odd(n - 1, steps);
}
static int odd(int n, int *steps) {
    ++*steps;
    return n == 0 ? 0 : even(n - 1, steps);
}
int main(void) {
    int steps = 0;
    int r = even(4, &steps);
    assert(r == 1 && steps == 5);
    return 0;
}
