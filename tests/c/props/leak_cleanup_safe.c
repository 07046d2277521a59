// expect: safe
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on all is freed before the end
#include <stdlib.h>

static int *kept;
int main(void)
{
    kept = malloc(sizeof *kept);
    free(kept);
    return 0;
}
