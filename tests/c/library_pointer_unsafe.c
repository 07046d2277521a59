// expect: unsafe threads=1
// line: 8
// A function of the library that is called through a pointer does the same.
#include <assert.h>
#include <stdlib.h>
int (*convert)(const char *) = atoi;
int main(void) {
    assert(convert("8") != 8);
    return 0;
}
