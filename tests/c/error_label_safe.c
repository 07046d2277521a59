// expect: safe
// A label called ERROR is no error unless it is asked for.

#include <assert.h>

int main(void) {
    int x = 1;
    if (x == 1)
        goto ERROR;
    assert(x == 0);
ERROR:
    return 0;
}
