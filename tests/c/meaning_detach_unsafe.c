// expect: unsafe threads=2
// line: 18
// A thread may detach itself, and runs on.

#include <assert.h>
#include <pthread.h>

static int done;
static void *child(void *arg) {
    pthread_detach(pthread_self());
    done = 1;
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    while (!done) {}
    assert(!done);
    return 0;
}
