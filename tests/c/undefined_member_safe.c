// expect: safe
// undefined: 17 (null pointer)
// A member of null: the address is not 0, but the pointer is.

#include <assert.h>
#include <stddef.h>

struct pair {
    int first, second;
};

static struct pair *volatile none;

int main(void) {
    struct pair *pair = none;
    int sum = 0;
    sum += pair->second;
    assert(sum == 1);
    return 0;
}
