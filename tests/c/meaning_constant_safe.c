// expect: safe
// ways: concrete
// undefined: 10 (write to a constant)
// Constants cannot be written, whatever the pointer says.
#include <assert.h>
static const int table[2] = { 1, 2 };
int main(void)
{
    int *entry = (int *)&table[1];
    *entry = 3;
    assert(table[1] == 2);
    assert(0);
    return 0;
}
