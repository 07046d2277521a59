// expect: unsafe threads=2
// line: 20
// Handles are numbers that tell threads apart.

#include <assert.h>
#include <pthread.h>

static pthread_t first;
static int same;
static void *child(void *arg) {
    same = pthread_equal(pthread_self(), first);
    return arg;
}
int main(void) {
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(pthread_equal(first, pthread_self()));
    assert(same);
    return 0;
}
