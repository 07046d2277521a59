// expect: safe
// undefined: 10 (write to a constant)
// A string literal is written to.

#include <assert.h>

int main(void) {
    char *word = "cat";
    int length = 3;
    word[0] = 'h';
    assert(length == 3);
    return 0;
}
