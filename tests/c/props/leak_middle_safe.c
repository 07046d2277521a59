// expect: safe
// property: leak
// about: a pointer into the middle leads to the object
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    p = p + 2;
    free(p - 2);
    return 0;
}
