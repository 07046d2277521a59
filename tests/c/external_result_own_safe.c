// expect: safe
// Two objects of an external function are two, and neither is an object of the program.
#include <assert.h>
struct item { int kind; int value; };
struct item *get(void);
struct item mine;
int main(void) {
    struct item *p = get();
    struct item *q = get();
    if (p != 0 && q != 0) {
        p->kind = 1;
        q->kind = 2;
        assert(p->kind == 1);
        assert(mine.kind == 0);
    }
    return 0;
}
