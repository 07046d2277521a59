// expect: safe
// ways: concrete
// Allocation through a table of functions.
#include <assert.h>
#include <stdlib.h>
struct allocator {
    void *(*get)(size_t);
    void *(*change)(void *, size_t);
    void (*give)(void *);
};
static const struct allocator plain = {malloc, realloc, free};
struct point {
    int x, y;
};
int main(void) {
    const struct allocator *allocator = &plain;
    struct point *points = allocator->get(sizeof *points);
    points->x = 3;
    points->y = 4;
    points = allocator->change(points, 2 * sizeof *points);
    points[1] = points[0];
    assert(points[1].y == 4);
    allocator->give(points);
    return 0;
}
