// expect: unsafe threads=1
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on exit leaves what the locals of main lead to
// lines: 12
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    exit(0);
}
