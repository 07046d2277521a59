// expect: unsafe threads=2
// line: 14
// A statement after __CPROVER_ASYNC_n runs in a thread with a copy of the locals.

#include <assert.h>

static int g;
static void put(int v) { g = v; }
int main(void) {
    int x = 3;
__CPROVER_ASYNC_1:
    put(x);
    x = 4;
    assert(g == 0);
    return 0;
}
