// expect: unsafe threads=2
// line: 17
// A failing assume stops its thread for ever, not the others.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
static int x;
static void *child(void *arg) {
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    assert(x == 0);
    return 0;
}
