// expect: unsafe threads=1
// ways: concrete
// line: 22
// Fetch-and-add and compare-exchange in assembler.
#include <assert.h>
static int fetch_and_add(int *at, int value) {
    asm volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}
static long compare_and_swap(long *at, long old, long new) {
    long seen;
    __asm__ __volatile__("lock; cmpxchgq %2,%1" : "=a"(seen), "+m"(*at) : "r"(new), "0"(old) : "memory");
    return seen;
}
int main(void) {
    int n = 5;
    long m = 7;
    asm volatile("lock; addl $0,0(%%rsp)" ::: "memory");
    assert(fetch_and_add(&n, 3) == 5 && n == 8);
    assert(compare_and_swap(&m, 6, 1) == 7 && m == 7);
    assert(compare_and_swap(&m, 7, 1) == 7);
    assert(m == 7);
    return 0;
}
