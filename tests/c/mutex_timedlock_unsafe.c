// expect: unsafe threads=2
// line: 24
// A timed lock may give up; what it took it holds.

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    n = 1;
    n = 0;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    struct timespec until = {0, 0};
    pthread_create(&t, 0, child, 0);
    int r = pthread_mutex_timedlock(&m, &until);
    assert(r != ETIMEDOUT);
    pthread_join(t, 0);
    return 0;
}
