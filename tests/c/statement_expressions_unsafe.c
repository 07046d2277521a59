// expect: unsafe threads=1
// line: 18
// A block as an expression, typeof, and a macro out of both.

#include <assert.h>

#define LARGER(a, b)             \
    ({                           \
        __typeof__(a) _a = (a);  \
        __typeof__(b) _b = (b);  \
        _a > _b ? _a : _b;       \
    })
int main(void) {
    int x = 3, y = 4;
    int z = LARGER(x++, y++);
    assert(x == 4 && y == 5);
    __auto_type w = ({ int t = z; t + 1; });
    assert(z == 5);
    return 0;
}
