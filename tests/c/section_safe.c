// expect: safe
// Nobody else steps during an atomic section, loops included.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int a, b;
static void *child(void *arg) {
    __VERIFIER_atomic_begin();
    for (int i = 0; i < 2; i++) {
        a++;
        b++;
    }
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
