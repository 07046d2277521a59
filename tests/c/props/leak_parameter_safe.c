// expect: safe
// property: leak
// about: P-32: a parameter counts like a variable
#include <stdlib.h>

static void spin(int *p)
{
    for (;;)
        ;
}
int main(void)
{
    spin(malloc(4));
}
