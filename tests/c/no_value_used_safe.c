// expect: safe
// undefined: 10 (a function gives no value to a caller that uses it)
// The end of a function whose value is used.

#include <assert.h>

static int positive(int number) {
    if (number > 0)
        return 1;
}

int main(void) {
    assert(positive(3) == 1);
    int result = positive(-3);
    assert(result == 5);
    return 0;
}
