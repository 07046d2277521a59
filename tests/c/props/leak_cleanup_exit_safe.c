// expect: safe
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on an endless program leaves nothing
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    for (;;)
        *p = 1;
}
