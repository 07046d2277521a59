// expect: unsafe threads=1
// property: leak
// about: P-32: a parameter that gets another value leads nowhere
// lines: 9
#include <stdlib.h>

static void spin(int *p)
{
    p = 0;
    for (;;)
        ;
}
int main(void)
{
    spin(malloc(4));
}
