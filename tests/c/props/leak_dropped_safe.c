// expect: safe
// property: leak
// about: an object that lives for ever leads to the result
#include <stdlib.h>

static void *kept;
int main(void)
{
    kept = malloc(4);
    for (;;)
        ;
}
