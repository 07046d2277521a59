// expect: safe
// Who reads and waits to write waits for ever.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *upgrade(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    assert(0);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, upgrade, 0);
    return 0;
}
