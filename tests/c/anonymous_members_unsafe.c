// expect: unsafe threads=1
// line: 18
// Members of anonymous structs and unions are members of what is around them.

#include <assert.h>

struct node {
    int kind;
    union {
        struct { int x, y; };
        struct { int p, q; } named;
    };
};
int main(void) {
    struct node n = {.kind = 1, .x = 2, .y = 3};
    assert(n.x == 2);
    n.named.q = 7;
    assert(n.y == 3);
    return 0;
}
