// expect: unsafe threads=1
// line: 9
// `strtol` stores where it stopped.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    char *end = 0;
    long n = strtol("12 apples", &end, 10);
    assert(n == 12 && *end == 0);
    return 0;
}
