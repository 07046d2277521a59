// expect: unsafe threads=1
// line: 24
// do, while, for without parts, break and continue.

#include <assert.h>

int main(void) {
    int n = 0, i = 5;
    do
        n++;
    while (n < 0);
    while (i--) {
        if (i == 3)
            continue;
        if (i == 1)
            break;
        n += i;
    }
    for (;;) {
        if (++n > 10)
            break;
    }
    assert(i == 1);
    assert(n == 10);
    return 0;
}
