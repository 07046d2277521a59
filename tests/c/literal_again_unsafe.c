// expect: unsafe threads=1
// ways: concrete
// line: 14
// The same compound literal, come to again by a jump within its block, is the same object.

#include <assert.h>

int main(void) {
    int *kept[2], at = 0;
again:
    kept[at] = (int[1]){ at };
    if (++at < 2)
        goto again;
    assert(*kept[0] == 0);
    return 0;
}
