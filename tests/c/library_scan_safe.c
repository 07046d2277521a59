// expect: safe
// ways: concrete
#include <assert.h>
#include <stdio.h>
int main(void) {
    int a = 0, b = 0;
    int got = scanf("%d %d", &a, &b);
    assert(got >= -1 && got <= 2);
    if (got < 2) assert(b == 0);
    return 0;
}
