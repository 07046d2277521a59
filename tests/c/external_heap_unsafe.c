// expect: unsafe threads=1
// line: 11
// The whole allocation is written.
#include <assert.h>
#include <stdlib.h>
void load(void *buffer);
int main(void) {
    int *p = malloc(3 * sizeof(int));
    p[0] = p[1] = p[2] = 7;
    load(p);
    assert(p[2] == 7);
    free(p);
    return 0;
}
