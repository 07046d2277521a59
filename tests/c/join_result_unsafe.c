// expect: unsafe threads=2
// line: 19
// A join waits and gives the result.

#include <assert.h>
#include <pthread.h>

static int done;
static void *child(void *arg) {
    done = 1;
    return (void *)((long)arg + 2);
}
int main(void) {
    pthread_t t;
    void *r = 0;
    pthread_create(&t, 0, child, (void *)6L);
    assert(pthread_join(t, &r) == 0);
    assert(done == 1);
    assert((long)r == 7);
    return 0;
}
