// expect: unsafe threads=1
// line: 15
// Functions of the program that are called like those of C libraries are what their bodies say.

#include <assert.h>

int failures;
void _assert(int condition) { if (!condition) failures++; }
void __assert_rtn(void) { failures++; }

int main(void) {
    _assert(1);
    _assert(0);
    __assert_rtn();
    assert(failures == 0);
    return 0;
}
