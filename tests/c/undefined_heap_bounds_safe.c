// expect: safe
// undefined: 12 (out of bounds)
// One turn too many over an allocation.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    int count = 4;
    int *row = malloc(count * sizeof *row);
    for (int i = 0; i <= count; i++)
        row[i] = i;
    assert(row[1] == 1);
    free(row);
    return 0;
}
