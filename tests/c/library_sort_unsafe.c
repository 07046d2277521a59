// expect: unsafe threads=1
// line: 12
// Elements that compare equal come in any order.
#include <assert.h>
#include <stdlib.h>
struct item { int key, rank; };
int by_key(const void *a, const void *b) { return ((const struct item *)a)->key - ((const struct item *)b)->key; }
int main(void) {
    struct item items[2] = {{4, 1}, {4, 2}};
    qsort(items, 2, sizeof items[0], by_key);
    // Not stable.
    assert(items[0].rank == 1);
    return 0;
}
