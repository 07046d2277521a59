// expect: safe
// ways: concrete
// A number of which nobody reads the old value is the same for all who read it.

#include <assert.h>
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);
static unsigned char number, copy;
static void *reads(void *arg) {
    unsigned char mine = number, unread;
    assert(mine == copy);
    unread = mine;
    return arg;
}
int main(void) {
    pthread_t a, b;
    number = __VERIFIER_nondet_uchar();
    number = __VERIFIER_nondet_uchar();
    copy = number;
    pthread_create(&a, 0, reads, 0);
    pthread_create(&b, 0, reads, 0);
    assert(number == copy);
    return 0;
}
