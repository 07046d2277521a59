// expect: unsafe threads=1
// property: leak
// about: after the return of main its locals are gone
// lines: 11
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    return 0;
}
