// expect: safe
// A function called __VERIFIER_atomic_something is a section.

#include <assert.h>
#include <pthread.h>

static int n;
static void __VERIFIER_atomic_add(void) { n = n + 1; }
static void *child(void *arg) {
    __VERIFIER_atomic_add();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __VERIFIER_atomic_add();
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
