// expect: safe
// undefined: 8 (null pointer)
// A pointer that was never set.
#include <assert.h>
int main(void)
{
    int *nowhere;
    *nowhere = 1;
    assert(0);
    return 0;
}
