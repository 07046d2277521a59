// expect: safe
// undefined: 12 (use after free of `p`)
// Reading what was freed is undefined behaviour.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 3;
    free(p);
    int x = *p;
    assert(x == 4);
    return 0;
}
