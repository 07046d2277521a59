// expect: safe
// A static initialiser is read for its kind.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {{0, 0, 0, 0, 1, 0, 0, {0, 0}}}
#endif
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int main(void) {
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&again);
    int p = pthread_mutex_trylock(&plain);
    int a = pthread_mutex_trylock(&again);
    assert(p == EBUSY);
    assert(a == 0);
    return 0;
}
