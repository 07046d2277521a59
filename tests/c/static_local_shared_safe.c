// expect: safe
// A static local is shared by all threads.

#include <assert.h>
#include <pthread.h>

static int next(void) {
    static __thread int n;
    return n++;
}
static void *child(void *arg) {
    next();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    int v = next();
    assert(v == 0);
    pthread_join(t, 0);
    return 0;
}
