// expect: unsafe threads=1
// line: 13
// _exit and quick_exit end the program.

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    if (__VERIFIER_nondet_bool())
        _exit(0);
    assert(0);
}
