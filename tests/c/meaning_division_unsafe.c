// expect: unsafe threads=1
// line: 10
// A division by zero has no meaning: the thread stands still before what follows.

#include <assert.h>

int main(void) {
    volatile int zero = 0;
    int x = 1 / (zero + 1);
    assert(x == 5);
    return 0;
}
