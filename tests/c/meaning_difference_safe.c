// expect: safe
// ways: concrete
// undefined: 9 (difference of pointers into different objects)
// The difference of pointers into different objects.
#include <assert.h>
int left[2], right[2];
int main(void)
{
    long apart = &right[0] - &left[0];
    assert(apart != apart);
    return 0;
}
