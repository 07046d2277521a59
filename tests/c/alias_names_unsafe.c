// expect: unsafe threads=1
// line: 25
// Names that the linker sees: aliases, asm labels and `redefine_extname` make several names of one thing.

#include <assert.h>

int x = 1;
extern int y __attribute__((alias("x")));
extern int z asm("x");
static int hidden = 5;
extern int shown __attribute__((alias("hidden")));
int named asm("symbol") = 7;
extern int symbol;

static int twice(int a) { return 2 * a; }
int doubled(int) __attribute__((alias("twice")));
int other(int) asm("doubled");
#pragma redefine_extname renamed doubled
extern int renamed(int);

int main(void) {
    y = 2;
    assert(x == 2 && z == 2);
    z = 3;
    assert(y == 2);
    shown = 6;
    assert(hidden == 6);
    symbol = 8;
    assert(named == 8);
    assert(doubled(3) == 6 && other(4) == 8 && renamed(5) == 10);
    return 0;
}
