// expect: safe
// ways: concrete
// undefined: 9 (a call through a pointer to no function that takes these arguments)
// A call through a null pointer: the run ends there, and that is told.
#include <assert.h>
int (*handler)(int);
int main(void)
{
    int got = handler(3);
    assert(got == 4);
    assert(0);
    return 0;
}
