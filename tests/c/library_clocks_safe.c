// expect: safe
// Clocks that there are do not fail, others always do.
#include <assert.h>
#include <time.h>
int main(void) {
    struct timespec now;
    assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
    assert(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
    assert(clock_gettime(77, &now) == -1);
    assert(timespec_get(&now, 5) == 0);
    return 0;
}
