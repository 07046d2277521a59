// expect: safe
// Typedefs, sizes and alignment of LP64.

#include <assert.h>
#include <stdint.h>

typedef struct list list;
struct list { list *next; int8_t tag; };
typedef int row[3];
typedef int (*handler)(row);
static int first(row r) { return r[0]; }
int main(void) {
    row r = {8, 9};
    handler h = first;
    assert(sizeof(long) == 8 && sizeof(list) == 16 && sizeof(row) == 12);
    assert(_Alignof(double) == 8);
    _Static_assert(sizeof(void *) == 8, "LP64");
    assert(h(r) == 8);
    return 0;
}
