// expect: unsafe threads=1
// property: leak
// about: a pointer into the middle leads to an object until it is gone, too
// lines: 11
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    p = p + 2;
    p = 0;
    return 0;
}
