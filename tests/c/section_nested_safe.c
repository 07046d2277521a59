// expect: safe
// A section inside a section adds no end of its own.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int a, b;
static void __VERIFIER_atomic_set(int v) { a = v; }
static void *child(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_set(1);
    b = 1;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __VERIFIER_atomic_begin();
    int x = a, y = b;
    __VERIFIER_atomic_end();
    assert(x == y);
    return 0;
}
