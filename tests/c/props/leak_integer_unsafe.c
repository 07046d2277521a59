// expect: unsafe threads=1
// property: leak
// about: an integer that held the address holds another number
// lines: 14
#include <stdlib.h>

#include <stdint.h>
static uintptr_t kept;
int main(void)
{
    int *p = malloc(sizeof *p);
    kept = (uintptr_t)p;
    p = 0;
    kept = 0;
    return 0;
}
