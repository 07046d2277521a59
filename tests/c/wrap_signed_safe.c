// expect: safe
// Signed arithmetic wraps around.

#include <assert.h>
#include <limits.h>

int main(void) {
    int x = INT_MAX;
    long long y = LLONG_MIN;
    x++;
    y--;
    assert(y == LLONG_MAX);
    assert(x == INT_MIN);
    x = -x;
    assert(x == INT_MIN);
    return 0;
}
