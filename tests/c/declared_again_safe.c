// expect: safe
// ways: concrete
// A jump back over a declaration: the same object, with its initialiser again.

#include <assert.h>

int main(void) {
    int turn = 0;
    int *before = 0;
again:;
    int value = 5, *now = &value;
    if (turn++ == 0) {
        before = now;
        value = 6;
        goto again;
    }
    assert(before == &value && *before == 5);
    return 0;
}
