// expect: safe
// With its prefix it is the built-in.

#include <assert.h>

int main(int count, char **words) {
    __builtin_prefetch(words);
    if (count == 1)
        __builtin_trap();
    if (count == 2)
        __builtin_abort();
    assert(count > 2);
}
