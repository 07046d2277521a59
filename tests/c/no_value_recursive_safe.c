// expect: safe
// undefined: 12 (a function gives no value to a caller that uses it)
// The same in a recursive function: the outermost call is not used, the one inside is.

#include <assert.h>

static int descends(int depth) {
    if (depth > 0) {
        int below = descends(depth - 1);
        return below + 1;
    }
}

int main(void) {
    descends(2);
    assert(0);
    return 0;
}
