// expect: unsafe threads=1
// line: 17
// assume_abort_if_not with a body in the file.

#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void abort(void);
static void assume_abort_if_not(int cond) {
    if (!cond)
        abort();
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x == 4 || x == 6);
    assert(x == 4);
    return 0;
}
