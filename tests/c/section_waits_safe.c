// expect: safe
// Who waits inside a section stops everybody: the thread that is created there never runs.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int flag;
static void *child(void *arg) {
    flag = 1;
    return arg;
}
int main(void) {
    pthread_t thread;
    __VERIFIER_atomic_begin();
    pthread_create(&thread, 0, child, 0);
    assert(!flag);
    pthread_join(thread, 0);
    __VERIFIER_atomic_end();
    assert(0);
    return 0;
}
