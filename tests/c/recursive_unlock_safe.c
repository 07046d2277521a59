// expect: safe
// ways: concrete
// Unlocking a recursive mutex that one does not hold is an error that is told, not undefined behaviour.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t guard;

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&guard, &attributes);
    int code = pthread_mutex_unlock(&guard);
    assert(code == EPERM);
    return 0;
}
