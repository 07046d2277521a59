// expect: safe
// undefined: 12 (use after free of `before`)
// A jump back to before the declaration of a variable-length array leaves its scope: the array ends (C11 6.2.4).

#include <assert.h>

int main(void) {
    int length = 2, turn = 0, *before = 0;
again:
    assert(turn < 2);
    if (turn == 1) {
        *before = 3;
        return 0;
    }
    int values[length];
    before = values;
    turn++;
    goto again;
}
