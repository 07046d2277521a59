// expect: safe
// Timed read and write locks may give up.

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int n;
static void *child(void *arg) {
    pthread_rwlock_wrlock(&l);
    n = 1;
    n = 2;
    pthread_rwlock_unlock(&l);
    return arg;
}
int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    pthread_create(&t, 0, child, 0);
    int r = pthread_rwlock_timedrdlock(&l, &until);
    if (r == 0) {
        assert(n != 1);
        pthread_rwlock_unlock(&l);
    } else {
        assert(r == ETIMEDOUT);
    }
    return 0;
}
