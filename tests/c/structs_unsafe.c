// expect: unsafe threads=1
// line: 23
// Structs are copied, passed and returned as values.

#include <assert.h>

struct inner { char c; long l; };
struct pair { int a; struct inner in; int b[2]; };
static struct pair swapped(struct pair p) {
    int t = p.b[0];
    p.b[0] = p.b[1];
    p.b[1] = t;
    p.in.c++;
    return p;
}
int main(void) {
    struct pair p = {1, {2, 3}, {4, 5}};
    struct pair q = swapped(p);
    assert(p.b[0] == 4 && p.in.c == 2);
    assert(q.b[0] == 5 && q.b[1] == 4 && q.in.l == 3);
    p = q;
    q.a = 9;
    assert(p.a == 9);
    assert(sizeof(struct inner) == 16);
    return 0;
}
