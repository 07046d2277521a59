// expect: unsafe threads=1
// ways: concrete
// line: 23
// A function of the program that prints a list of arguments with strings.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static char last[16];
static int count;
static void say(const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    count = vfprintf(stderr, format, list);
    vsnprintf(last, sizeof last, format, again);
    va_end(list);
    va_end(again);
}
int main(void) {
    say("%s=%d", "size", 42);
    assert(count == 7 || count == -1);
    assert(last[7] == '2');
    return 0;
}
