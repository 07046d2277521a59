// expect: safe
// ways: concrete
// Constants that only the compiler works out: who does not use them is not concerned.

#include <assert.h>

static const char letter = "abc"[1];
static int length = __builtin_strlen("abcd"), size = __builtin_abs(-3);
static int plain = 4;

int main(void) {
    assert(plain == 4);
    return 0;
}
