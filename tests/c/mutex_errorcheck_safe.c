// expect: safe
// An error-checking mutex: EDEADLK for the owner, EPERM for who does not own it.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    int early = pthread_mutex_unlock(&m);
    assert(early == EPERM);
    int first = pthread_mutex_lock(&m);
    int second = pthread_mutex_lock(&m);
    assert(first == 0);
    assert(second == EDEADLK);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
