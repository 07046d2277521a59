// expect: safe
// A thread that ends with a lock keeps it for ever.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_trylock(&m) != 0);
    return 0;
}
