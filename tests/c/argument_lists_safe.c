// expect: safe
// Lists of arguments that are copied, handed on and read twice.

#include <assert.h>
#include <stdarg.h>

static int sum_list(int count, va_list list) {
    int total = 0;
    while (count-- > 0)
        total += va_arg(list, int);
    return total;
}

static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = sum_list(count, list);
    va_end(list);
    return total;
}

static int twice(int count, ...) {
    va_list first, second;
    int total = 0;
    va_start(first, count);
    va_copy(second, first);
    for (int i = 0; i < count; i++)
        total += va_arg(first, int);
    for (int i = 0; i < count; i++)
        total += 10 * va_arg(second, int);
    va_end(first);
    va_end(second);
    return total;
}

static long mixed(const char *kinds, ...) {
    va_list list;
    long total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long); break;
        case 'p': total += *va_arg(list, int *); break;
        case 'd': total += (long)va_arg(list, double); break;
        }
    va_end(list);
    return total;
}

int main(void) {
    int (*pointer)(int, ...) = sum;
    int x = 40;
    assert(sum(3, 1, 2, 3) == 6 && sum(0) == 0 && pointer(2, 3, 4) == 7);
    assert(sum(2, sum(1, 4), sum(2, 5, 6)) == 15 && twice(2, 1, 2) == 33);
    assert(mixed("ilpd", 1, 2L, &x, 3.5) == 46);
    return 0;
}
