// expect: unsafe threads=1
// line: 19
// goto forward, backward, and out of two loops.

#include <assert.h>

int main(void) {
    int n = 0, i, j;
again:
    n++;
    if (n < 3)
        goto again;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (i * j == 2)
                goto out;
    n = 100;
out:
    assert(n == 100);
    return 0;
}
