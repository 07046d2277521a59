// expect: safe
// property: leak
// about: P-31: what is left when the program aborts is no leak
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    abort();
}
