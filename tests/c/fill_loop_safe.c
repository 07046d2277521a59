// expect: safe
// A loop that fills an allocation also counts.

#include <assert.h>
#include <stdlib.h>

extern char __VERIFIER_nondet_char(void);
int main(void) {
    int size = 3, at = 9;
    char *bytes = malloc(size);
    for (at = 0; at < size; at++) {
        bytes[at] = __VERIFIER_nondet_char();
    }
    assert(at == 3);
    return 0;
}
