// expect: safe
// pthread_exit from a function that the thread calls.

#include <assert.h>
#include <pthread.h>

static int after;
static void leave(int v) {
    pthread_exit((void *)(long)v);
}
static void *child(void *arg) {
    leave(5);
    after = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    void *r = 0;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, &r);
    assert(after == 0);
    assert((long)r == 5);
    return 0;
}
