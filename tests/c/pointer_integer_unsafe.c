// expect: unsafe threads=1
// line: 15
// Casts between pointers and integers and back.

#include <assert.h>
#include <stdint.h>

int main(void) {
    int x = 4;
    uintptr_t n = (uintptr_t)&x;
    int *p = (int *)n;
    void *nine = (void *)9;
    assert((long)nine == 9);
    *p += 1;
    assert(x == 4);
    assert((void *)0 == (void *)(intptr_t)0);
    return 0;
}
