// expect: unsafe threads=1
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on what lives at the end is left
// lines: 12
#include <stdlib.h>

static int *kept;
int main(void)
{
    kept = malloc(sizeof *kept);
    return 0;
}
