// expect: safe
// property: memory
// about: an address past the end may be computed, null may be freed
#include <stdlib.h>

int main(void)
{
    int x[2], *p = x + 2;
    free(0);
    p[-1] = 1;
    return 0;
}
