// expect: safe
// undefined: 14 (destroying a mutex that is in use)
// A mutex is destroyed by the thread that has locked it.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    int done = 0;
    pthread_mutex_lock(&guard);
    done = 1;
    pthread_mutex_destroy(&guard);
    assert(done);
    return 0;
}
