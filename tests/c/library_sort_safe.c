// expect: safe
// ways: concrete
#include <assert.h>
#include <stdlib.h>
struct item { int key; char *name; };
int calls;
int by_key(const void *a, const void *b) {
    calls++;
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}
int main(void) {
    struct item items[3] = {{5, "five"}, {2, "two"}, {9, "nine"}}, wanted = {9, 0};
    qsort(items, 3, sizeof items[0], by_key);
    assert(calls > 0 && items[0].key == 2 && items[2].key == 9);
    struct item *found = bsearch(&wanted, items, 3, sizeof items[0], by_key);
    assert(found == &items[2] && found->name[0] == 'n');
    return 0;
}
