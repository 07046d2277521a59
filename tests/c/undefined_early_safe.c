// expect: safe
// undefined: 11 (division by zero)
// Every run ends in undefined behaviour, in a value that nobody uses: what follows is never reached.

#include <assert.h>

static volatile int divisor;

int main(void) {
    volatile int unused;
    unused = 7 % divisor;
    (void)unused;
    assert(divisor == 1);
    return 0;
}
