// expect: unsafe threads=1
// property: leak
// about: P-32: the variable is gone with its block
#include <stdlib.h>

int main(void)
{
    {
        int *p = malloc(sizeof *p);
        *p = 1;
    }
    for (;;)
        ;
}
