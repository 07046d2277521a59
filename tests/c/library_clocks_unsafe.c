// expect: unsafe threads=1
// line: 10
// Each clock goes its own way.
#include <assert.h>
#include <time.h>
int main(void) {
    struct timespec up, used;
    clock_gettime(CLOCK_MONOTONIC, &up);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    assert(used.tv_sec >= up.tv_sec);
    return 0;
}
