// expect: unsafe threads=2
// line: 17
// Without a join the child may not have run yet.

#include <assert.h>
#include <pthread.h>

static int done;
static void *child(void *arg) {
    done = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_detach(t);
    assert(done);
    return 0;
}
