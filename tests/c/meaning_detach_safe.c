// expect: safe
// ways: concrete
// undefined: 17 (joining a thread that cannot be joined)
// A thread is detached once, and not joined afterwards.

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
static void *child(void *arg) { return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    switch (__VERIFIER_nondet_int()) {
    case 0:
        pthread_detach(thread);
        pthread_join(thread, 0);
        break;
    case 1:
        pthread_join(thread, 0);
        pthread_detach(thread);
        break;
    default:
        pthread_detach(thread);
        pthread_detach(thread);
    }
    assert(0);
    return 0;
}
