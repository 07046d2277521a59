// expect: safe
// undefined: 11 (use of `literal` outside its lifetime)
// An `if` is a block of its own (C11 6.8.4): a compound literal in its condition ends with it.

#include <assert.h>

int main(void) {
    int *kept = 0;
    if ((kept = &(int){ 4 }))
        assert(*kept == 4);
    return *kept;
}
