// expect: unsafe threads=1
// line: 9
// `strtok` keeps one place for all: a second string takes the first one's.
#include <assert.h>
#include <string.h>
int main(void) {
    char a[] = "1 2", b[] = "3 4";
    strtok(a, " "), strtok(b, " ");
    assert(strtok(0, " ") == a + 2);
    return 0;
}
