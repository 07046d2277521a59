// expect: safe
// property: leak
// about: P-32: a variable that nobody reads again leads to memory while it is in scope
#include <stdlib.h>

static void *kept;
int main(void)
{
    {
        int *p = malloc(sizeof *p);
        *p = 1;
        kept = p;
        p = 0;
    }
    return 0;
}
