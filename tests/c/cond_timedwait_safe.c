// expect: safe
// A timed wait may give up, and holds the mutex then too.

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static int ready;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    int r = 0;
    pthread_cond_init(&c, 0);
    pthread_create(&t, 0, child, 0);
    pthread_mutex_lock(&m);
    while (!ready && r == 0)
        r = pthread_cond_timedwait(&c, &m, &until);
    assert(r == 0 || r == ETIMEDOUT);
    assert(ready || r == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_cond_destroy(&c);
    return 0;
}
