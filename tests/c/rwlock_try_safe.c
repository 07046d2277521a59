// expect: safe
// Trying a read-write lock may fail, and then nothing is held.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int n;
static void *child(void *arg) {
    if (pthread_rwlock_trywrlock(&l) == 0) {
        n = 1;
        n = 2;
        pthread_rwlock_unlock(&l);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    int r = pthread_rwlock_tryrdlock(&l);
    if (r == 0) {
        assert(n != 1);
        pthread_rwlock_unlock(&l);
    } else {
        assert(r == EBUSY);
    }
    pthread_join(t, 0);
    return 0;
}
