// expect: unsafe threads=1
// property: leak
// about: the only pointer gets another value
// lines: 10
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    p = malloc(sizeof *p);
    free(p);
    return 0;
}
