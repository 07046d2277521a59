// expect: safe
// Nobody passes the barrier before all have come.

#include <assert.h>
#include <pthread.h>

static pthread_barrier_t b;
static int x, y;
static void *child(void *arg) {
    x = 1;
    pthread_barrier_wait(&b);
    assert(y == 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, child, 0);
    y = 1;
    pthread_barrier_wait(&b);
    assert(x == 1);
    pthread_join(t, 0);
    return 0;
}
