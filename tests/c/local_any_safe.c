// expect: safe
// A local without initialiser has any value, a global is zero.

#include <assert.h>

static unsigned char global;
int main(void) {
    unsigned char local;
    assert(global == 0);
    local = 3;
    assert(local == 3);
    return 0;
}
