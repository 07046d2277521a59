// expect: unsafe threads=1
// property: memory
// lines: 10
// about: a second `free` of one allocation
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4), *q = p;
    free(p); free(q);
    return 0;
}
