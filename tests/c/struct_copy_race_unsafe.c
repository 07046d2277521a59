// expect: unsafe threads=2
// line: 21
// Copying a struct is a step for each scalar.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static struct pair { int a, b; } shared, ones = {1, 1};
static void *child(void *arg) {
    shared = ones;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __VERIFIER_atomic_begin();
    struct pair p = shared;
    __VERIFIER_atomic_end();
    assert(p.a == p.b);
    return 0;
}
