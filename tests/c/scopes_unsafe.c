// expect: unsafe threads=1
// line: 21
// An inner name hides an outer one until its block ends.

#include <assert.h>

static int x = 1;
int main(void) {
    int y = x;
    int x = 2;
    {
        int x = 3;
        y += x;
        for (int x = 10; x < 11; x++)
            y += x;
    }
    {
        extern int outer;
        y += outer;
    }
    assert(y == 18 && x == 3);
    return 0;
}
int outer = 4;
