// expect: safe
// Attributes have the values that there are; all arguments are evaluated.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
int main(void) {
    pthread_attr_t threads;
    pthread_mutexattr_t mutexes;
    pthread_condattr_t conditions;
    pthread_attr_init(&threads);
    pthread_mutexattr_init(&mutexes);
    pthread_condattr_init(&conditions);
    assert(pthread_attr_setstacksize(&threads, 1) == EINVAL);
    assert(pthread_attr_setstacksize(&threads, 65536) == 0);
    assert(pthread_attr_setschedpolicy(&threads, 77) == EINVAL);
    assert(pthread_mutexattr_setpshared(&mutexes, 77) == EINVAL);
    assert(pthread_condattr_setclock(&conditions, 1) == 0);
    int kind = 7;
    assert(pthread_mutexattr_settype(&mutexes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_settype(&mutexes, 77) == EINVAL);
    pthread_mutexattr_gettype(&mutexes, &kind);
    assert(kind == PTHREAD_MUTEX_RECURSIVE);
    sem_t semaphore;
    int shared = 0;
    sem_init(&semaphore, shared++, 1);
    assert(shared == 1);
    return 0;
}
