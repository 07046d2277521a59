// expect: unsafe threads=1
// line: 13
// A read lock of one's own is one as well: writing is not possible until it is given back.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) != EBUSY);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    int taken = pthread_rwlock_trywrlock(&lock) == 0;
    if (taken) {
        assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
        assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
        pthread_rwlock_unlock(&lock);
    }
    return 0;
}
