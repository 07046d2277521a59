// expect: safe
// property: leak
// about: P-32: a variable in scope counts although nobody reads it again
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    for (;;)
        ;
}
