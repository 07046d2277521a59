// expect: safe
// property: leak
// about: exit leaves the locals of main where they are
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    exit(0);
}
