// expect: unsafe threads=1
// property: leak
// about: P-32: the variables of a call are gone when it returns
#include <stdlib.h>

static void forget(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
}
int main(void)
{
    forget();
    for (;;)
        ;
}
