// expect: unsafe threads=2
// line: 24
// exit inside a section: nobody steps any more.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x;
static void *child(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __VERIFIER_atomic_begin();
    int seen = x;
    __VERIFIER_atomic_end();
    assert(seen == 0);
    return 0;
}
