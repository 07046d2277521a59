// expect: safe
// Two open descriptors are different.
#include <assert.h>
#include <unistd.h>
int main(void) {
    int ends[2];
    if (pipe(ends) == 0) {
        assert(ends[0] != ends[1]);
        int copy = dup(ends[0]);
        assert(copy == -1 || copy != ends[0]);
    }
    return 0;
}
