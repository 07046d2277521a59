// expect: unsafe threads=2
// ways: concrete
// line: 18
// A lock by an exchange in assembler.
#include <assert.h>
#include <pthread.h>
static volatile unsigned locked;
static int inside;
static unsigned xchg(volatile unsigned *address, unsigned value) {
    unsigned result;
    asm volatile("lock; xchgl %0, %1" : "+m"(*address), "=a"(result) : "1"(value) : "cc");
    return result;
}
static void *work(void *argument) {
    while (xchg(&locked, 1) > 1)
        asm volatile("rep; nop" ::: "memory");
    inside++;
    assert(inside == 1);
    inside--;
    asm volatile("" ::: "memory");
    locked = 0;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
