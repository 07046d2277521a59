// expect: unsafe threads=1
// ways: concrete
// line: 18
// An array whose size is known when its block is entered.

#include <assert.h>

static int total(int n) {
    int a[n];
    int sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum + (int)(sizeof a / sizeof a[0]);
}
int main(void) {
    assert(total(3) == 3);
    return 0;
}
