// expect: unsafe threads=1
// line: 15
// A name is a built-in's only with its whole prefix: these are external functions, which return.

#include <assert.h>

void trap(void);
void unreachable(void);
void prefetch(void);

int main(void) {
    trap();
    unreachable();
    prefetch();
    assert(0);
}
