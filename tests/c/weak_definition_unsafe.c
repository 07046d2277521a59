// expect: unsafe threads=1
// line: 12
// A weak definition counts where there is no other.

#include <assert.h>

int x __attribute__((weak)) = 3;
#pragma weak value
int value(void) { return x; }

int main(void) {
    assert(value() == 0 && &x != 0);
    return 0;
}
