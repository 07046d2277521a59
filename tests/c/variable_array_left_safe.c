// expect: safe
// ways: concrete
// A block may be left before its variable-length array is declared, and come to again.

#include <assert.h>

static int sum(int length, int skipped) {
    int total = 0;
    for (int turn = 0; turn < 3; turn++) {
        if (turn == skipped)
            continue;
        if (turn > 3)
            break;
        int values[length];
        values[length - 1] = turn;
        if (turn == 2)
            return total + values[length - 1];
        total += values[length - 1];
    }
    return total;
}

int main(void) {
    assert(sum(2, 0) == 3);
    assert(sum(3, 1) == 2);
    assert(sum(3, 2) == 1);
    return 0;
}
