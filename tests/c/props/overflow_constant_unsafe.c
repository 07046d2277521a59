// expect: unsafe threads=1
// property: overflow
// lines: 10
// about: a constant expression that is computed when the program runs overflows there, too
#include <limits.h>
#include <stdio.h>

int main(void)
{
    printf("%d\n", INT_MAX + 1 - 1);
    return 0;
}
