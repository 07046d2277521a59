// expect: safe
// Clocks do not go backwards.
#include <assert.h>
#include <time.h>
int main(void) {
    time_t first, second = time(&first);
    assert(first == second);
    second = time(0);
    assert(second >= first);
    return 0;
}
