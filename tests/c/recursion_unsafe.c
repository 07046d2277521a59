// expect: unsafe threads=1
// ways: concrete
// line: 17
// Recursion, with parameters and locals of each activation.

#include <assert.h>

static int fibonacci(int n) {
    int left, right;
    if (n < 2)
        return n;
    left = fibonacci(n - 1);
    right = fibonacci(n - 2);
    return left + right;
}
int main(void) {
    assert(fibonacci(6) == 13);
    return 0;
}
