// expect: safe
// property: leak
// about: the pointer was copied before it gets another value
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p), *q = p;
    p = malloc(sizeof *p);
    free(p);
    free(q);
    return 0;
}
