// expect: unsafe threads=1
// line: 16
// Designated initialisers: the rest is zero, the last one wins.

#include <assert.h>

struct s { int a, b; char name[4]; struct { int u, v; } in; };
static struct s g = {.b = 2, .in.v = 3, .name = "xy"};
static int row[] = {[2] = 5, 6, [0] = 1, [1 ... 1] = 9};
int main(void) {
    struct s l = {1, .in = {.u = 4}};
    assert(g.a == 0 && g.in.u == 0 && g.in.v == 3 && g.name[1] == 'y' && g.name[3] == 0);
    assert(sizeof row / sizeof *row == 4);
    assert(row[0] == 1 && row[1] == 9 && row[3] == 6);
    assert(l.in.u == 4 && l.b == 0);
    assert(l.in.v == 3);
    return 0;
}
