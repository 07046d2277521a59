// expect: unsafe threads=2
// line: 22
// The thread that is created in a section runs when the section is over.

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
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    assert(!flag);
    return 0;
}
