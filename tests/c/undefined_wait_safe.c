// expect: safe
// undefined: 13 (waiting with a mutex that is not held)
// A condition variable is waited for without its mutex.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

int main(void) {
    int waited = 0;
    pthread_cond_wait(&ready, &guard);
    waited = 1;
    assert(waited);
    return 0;
}
