// expect: unsafe threads=2
// line: 19
// A function called __VERIFIER_atomic_something is a section.

#include <assert.h>
#include <pthread.h>

static int n;
static void plain_add(void) { n = n + 1; }
static void *child(void *arg) {
    plain_add();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    plain_add();
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
