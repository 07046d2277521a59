// expect: unsafe threads=1
// line: 14
// realloc keeps the old values.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(2 * sizeof *p);
    p[0] = 4;
    p[1] = 5;
    p = realloc(p, 3 * sizeof *p);
    p[2] = 6;
    assert(p[0] + p[1] == 11);
    free(p);
    return 0;
}
