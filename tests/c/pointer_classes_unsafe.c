// expect: unsafe threads=1
// line: 14
// Functions are called through pointers of other types, as long as the arguments have the same classes and sizes.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
static int negative(int value) { return value < 0; }
static unsigned long length(unsigned long value) { return value + 1; }
static void nothing(int value) { (void)value; }
static int both(double first, int second) { return first > 0 && second; }
int main(void) {
    int (*test)(unsigned) = (int (*)(unsigned))(__VERIFIER_nondet_int() ? (void *)negative : (void *)nothing);
    if (test == (int (*)(unsigned))negative) assert(test(0xffffffffu) == 0);
    int dummy;
    void *(*next)(void *) = (void *(*)(void *))length;
    assert((char *)next(&dummy) == (char *)&dummy + 1);
    int (*mixed)(double, unsigned) = (int (*)(double, unsigned))both;
    assert(mixed(1.5, 2) == 1);
    return 0;
}
