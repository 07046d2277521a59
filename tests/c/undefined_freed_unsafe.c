// expect: unsafe threads=1
// line: 12
// Reading what was freed is undefined behaviour.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 3;
    int x = *p;
    assert(x == 4);
    return 0;
}
