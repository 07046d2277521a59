// expect: unsafe threads=1
// property: leak
// about: P-32: an array of variable length is gone with its block
#include <stdlib.h>

int main(void)
{
    int n = 2;
    {
        void *a[n];
        a[1] = malloc(4);
    }
    exit(0);
}
