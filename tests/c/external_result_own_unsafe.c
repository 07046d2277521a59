// expect: unsafe threads=1
// line: 11
// It may point to an object of the function's own, of which nobody knows what is in it.
#include <assert.h>
struct item { int kind; int value; };
struct item *get(void);
int main(void) {
    struct item *p = get();
    if (p != 0) {
        p->kind = 1;
        assert(p->value != 4);
        assert(p->kind == 1);
    }
    return 0;
}
