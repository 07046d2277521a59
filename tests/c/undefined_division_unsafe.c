// expect: unsafe threads=1
// line: 10
// A division by zero is undefined behaviour: for assertions alone the thread blocks there.

#include <assert.h>

int main(void) {
    volatile int zero = 0;
    int x = 1 / (zero + 1);
    assert(x == 5);
    return 0;
}
