// expect: safe
// Unlocking what one does not hold has no meaning.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    pthread_mutex_unlock(&m);
    assert(0);
}
