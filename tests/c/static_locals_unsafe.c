// expect: unsafe threads=1
// line: 19
// A static local lives as long as the program, and is set once.

#include <assert.h>

static int next(void) {
    static int n = 10;
    return n++;
}
static int other(void) {
    static int n;
    return ++n;
}
int main(void) {
    next();
    other();
    assert(next() == 11);
    assert(other() == 1);
    return 0;
}
