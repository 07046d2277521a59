// expect: safe
// The function of a thread is chosen at run time.

#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static int x;
static void *one(void *arg) {
    x = 1;
    return arg;
}
static void *two(void *arg) {
    x = 2;
    return arg;
}
int main(void) {
    pthread_t t;
    void *(*f)(void *) = one;
    if (__VERIFIER_nondet_bool())
        f = two;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    assert(x == 1 || x == 2);
    return 0;
}
