// expect: safe
// An assume in a section: a guarded step. Failing, it stops everybody.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int lock, n;
static void enter(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(lock == 0);
    lock = 1;
    __VERIFIER_atomic_end();
}
static void *child(void *arg) {
    enter();
    n++;
    assert(n == 1);
    n--;
    lock = 0;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    enter();
    n++;
    n--;
    lock = 0;
    return 0;
}
