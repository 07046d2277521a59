// expect: unsafe threads=1
// line: 11
// rand gives any value that is not negative.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    srand(1);
    int r = rand();
    assert(r % 2 == 0);
    return 0;
}
