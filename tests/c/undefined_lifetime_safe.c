// expect: safe
// undefined: 16 (use of `inner` outside its lifetime)
// A pointer to a variable of a block that has ended.

#include <assert.h>

int main(void) {
    int *volatile kept = 0;
    int sum = 0;
    {
        int inner = 3;
        kept = &inner;
        sum += *kept;
    }
    int *gone = kept;
    sum += *gone;
    assert(sum == 6);
    return 0;
}
