// expect: unsafe threads=2
// line: 21
// Just one of the waiters is told that it is the serial one, and it may be any.

#include <assert.h>
#include <pthread.h>

static pthread_barrier_t b;
static int serial;
static void *child(void *arg) {
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, child, 0);
    int mine = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
    pthread_join(t, 0);
    assert(mine);
    pthread_barrier_destroy(&b);
    return 0;
}
