// expect: safe
// What looks undefined and is not, or is left to the implementation: pointers that are only computed, comparisons of pointers for equality, sums
// that wrap, the last bytes of an allocation that are less than an element, a function's unused missing value.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first;
    char second;
};

static int falls(int number) {
    if (number > 2)
        return number;
}

int main(void) {
    int row[4] = {1, 2, 3, 4};
    int *end = row + 4;
    int *before = end - 1;
    assert(*before == 4);
    assert(end != row);
    volatile int large = 2147483647;
    assert(large + 1 < 0);
    struct pair one = {1, 2}, two;
    memcpy(&two, &one, sizeof one);
    assert(two.second == 2);
    falls(1);
    int shift = 31;
    assert((1u << shift) != 0);
    int *some = malloc(3 * sizeof *some);
    some[2] = 5;
    assert(some[2] == 5);
    free(some);
    free(0);
    return 0;
}
