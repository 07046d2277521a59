// expect: unsafe threads=2
// line: 18
// x = x + 1 on a shared variable is a read step and a write step.

#include <assert.h>
#include <pthread.h>

static int x;
static void *child(void *arg) {
    x = x + 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __sync_fetch_and_add(&x, 1);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
