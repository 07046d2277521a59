// expect: unsafe threads=1
// ways: concrete
// line: 13
// A jump back over a declaration without initialiser: the same object, its value any (C11 6.2.4).

#include <assert.h>

int main(void) {
    int turn = 0, *before = 0;
again:;
    int value;
    if (turn == 1)
        assert(*before == 3);
    else {
        before = &value;
        value = 3;
        turn = 1;
        goto again;
    }
    return 0;
}
