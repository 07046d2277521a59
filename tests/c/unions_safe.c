// expect: safe
// A union whose views have the same cells.

#include <assert.h>

union word {
    int i;
    unsigned u;
};
int main(void) {
    union word w;
    w.i = -1;
    assert(w.u == 0xffffffffu);
    w.u = 5;
    assert(w.i == 5);
    assert(sizeof w == 4);
    return 0;
}
