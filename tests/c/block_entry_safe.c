// expect: safe
// An initialiser runs at every entry of its block.

#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int local = 5;
        local += i;
        sum += local;
    }
    assert(sum == 18);
    return 0;
}
