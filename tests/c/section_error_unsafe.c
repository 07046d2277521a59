// expect: unsafe threads=2
// line: 14
// What a section reached before it blocked counts, errors included.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x;
static void *child(void *arg) {
    __VERIFIER_atomic_begin();
    assert(x == 0);
    __VERIFIER_assume(0);
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    x = 1;
    pthread_join(t, 0);
    return 0;
}
