// expect: safe
// property: memory
// about: each allocation is freed once, at its start
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4), *q = p + 1;
    free(q - 1);
    return 0;
}
