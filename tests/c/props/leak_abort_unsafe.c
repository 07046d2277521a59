// expect: unsafe threads=1
// property: leak
// about: P-31: what was lost before the program aborts is
// lines: 10
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    p = 0;
    abort();
}
