// expect: unsafe threads=1
// line: 12
// Two reads of memory that nobody has written see the same value: the first one, which decides nothing by itself, is that of the second.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    long *cell = malloc(sizeof *cell);
    long first = *cell;
    long second = *cell;
    assert(second != 1 || first != 1);
}
