// expect: unsafe threads=1
// line: 15
// Assembler that only orders accesses.

#include <assert.h>

int x;

int main(void) {
    x = 1;
    __asm__ __volatile__("" : : : "memory");
    asm volatile("pause");
    asm volatile("rep; nop" ::: "memory");
    asm volatile("mfence\n\tnop" : : : "memory");
    assert(x == 0);
    return 0;
}
