// expect: unsafe threads=2
// line: 13
// ways: concrete
// A number is any when it is stored: the second one may be another.

#include <assert.h>
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);
static unsigned char number, copy;
static void *reads(void *arg) {
    unsigned char mine = number;
    assert(mine == copy || copy != 7);
    return arg;
}
int main(void) {
    pthread_t a;
    number = __VERIFIER_nondet_uchar();
    copy = number;
    number = __VERIFIER_nondet_uchar();
    pthread_create(&a, 0, reads, 0);
    return 0;
}
