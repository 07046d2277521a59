// expect: safe
// property: leak
// about: an integer that holds an address leads to the object
#include <stdlib.h>

#include <stdint.h>
static uintptr_t kept;
int main(void)
{
    int *p = malloc(sizeof *p);
    kept = (uintptr_t)p;
    p = 0;
    return 0;
}
