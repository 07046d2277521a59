// expect: unsafe threads=1
// line: 18
// A function with a variable number of arguments.

#include <assert.h>
#include <stdarg.h>

static int sum(int count, ...) {
    va_list list;
    int total = 0;
    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}
int main(void) {
    assert(sum(2, 1, 2, 3) == 6);
    return 0;
}
