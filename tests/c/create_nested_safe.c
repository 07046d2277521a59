// expect: safe
// A child creates a child of its own.

#include <assert.h>
#include <pthread.h>

static int depth;
static void *leaf(void *arg) {
    depth = 2;
    return arg;
}
static void *child(void *arg) {
    pthread_t t;
    depth = 1;
    pthread_create(&t, 0, leaf, 0);
    pthread_join(t, 0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(depth == 2);
    return 0;
}
