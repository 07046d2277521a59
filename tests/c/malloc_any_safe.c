// expect: safe
// What malloc gives has any value, what calloc gives is zero.

#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned char *p = calloc(2, 1);
    assert(p[1] == 0);
    free(p);
    return 0;
}
