// expect: safe
// ways: concrete
// undefined: 10 (va_arg without an argument of this type)
// A list of arguments that has come to its end.
#include <assert.h>
#include <stdarg.h>
static int second(int count, ...)
{
    va_list list; va_start(list, count);
    va_arg(list, int); int got = va_arg(list, int);
    va_end(list);
    return got;
}
int main(void)
{
    second(1, 5);
    assert(0);
    return 0;
}
