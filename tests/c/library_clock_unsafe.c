// expect: unsafe threads=1
// line: 8
// What `clock_gettime` stores is there afterwards.
#include <assert.h>
#include <time.h>
int main(void) {
    struct timespec t = {0, 0};
    if (clock_gettime(CLOCK_MONOTONIC, &t) == 0) assert(t.tv_nsec < 5);
    return 0;
}
