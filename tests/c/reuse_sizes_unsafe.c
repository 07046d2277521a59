// expect: unsafe threads=1
// line: 11
// An allocation may get the address of a freed object of another size.
#include <assert.h>
#include <stdlib.h>
int main(void)
{
    char *p = malloc(4);
    free(p);
    char *q = malloc(8);
    assert(p != q);
    return 0;
}
