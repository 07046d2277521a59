// expect: unsafe threads=1
// line: 10
// What malloc gives has any value, what calloc gives is zero.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned char *p = malloc(2);
    assert(p[1] == 0);
    free(p);
    return 0;
}
