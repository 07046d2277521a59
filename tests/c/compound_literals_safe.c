// expect: safe
// Compound literals are objects.

#include <assert.h>

struct point { int x, y; };
static int sum(const struct point *p) { return p->x + p->y; }
int main(void) {
    struct point p = (struct point){1, 2};
    int *a = (int[]){5, 6, 7};
    a[1]++;
    assert(sum(&(struct point){.y = 4}) == 4);
    assert(a[1] == 7);
    assert(sum(&p) == 3);
    return 0;
}
