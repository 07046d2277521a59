// expect: unsafe threads=1
// line: 12
// Unlocking what one does not hold is undefined behaviour.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert(0);
}
