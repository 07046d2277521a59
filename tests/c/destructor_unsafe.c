// expect: unsafe threads=1
// line: 8
// A destructor runs after `main` has returned.

#include <assert.h>

int x;
__attribute__((__destructor__)) static void check(void) { assert(x == 0); }

int main(void) {
    x = 1;
    return 0;
}
