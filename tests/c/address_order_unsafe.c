// expect: unsafe threads=1
// ways: concrete
// line: 11
// Addresses of different objects have an order, so that one of two tests holds.
#include <assert.h>
int left, right;
int main(void)
{
    int *low = &left, *high = &right;
    if (low > high) { int *swap = low; low = high; high = swap; }
    assert(!(low < high));
    return 0;
}
