// expect: unsafe threads=1
// property: memory
// lines: 11
// about: a variable-length array is no allocation: it must not be freed
#include <stdlib.h>

int main(void)
{
    int n = 2, x[n];
    x[1] = 1;
    free(x);
    return 0;
}
