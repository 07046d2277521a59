// expect: unsafe threads=1
// line: 11
// A pointer in a struct that is passed by value counts, and so does one among variable arguments.
#include <assert.h>
struct view { int length; int *start; };
void take(struct view view);
int main(void) {
    int x = 1;
    struct view view = {1, &x};
    take(view);
    assert(x == 1);
    return 0;
}
