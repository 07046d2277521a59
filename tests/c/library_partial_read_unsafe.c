// expect: unsafe threads=1
// line: 8
// The last element may be read in part: it counts for nothing, but its bytes are there.
#include <assert.h>
#include <stdio.h>
int main(void) {
    unsigned char bytes[4] = {0, 0, 0, 0};
    if (fread(bytes, 4, 1, stdin) == 0) assert(bytes[0] == 0);
    return 0;
}
