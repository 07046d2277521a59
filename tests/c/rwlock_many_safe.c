// expect: safe
// ways: exact
// Any number of readers and writers: who reads sees no half-done write.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int half;
static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    assert(half == 0);
    pthread_rwlock_unlock(&lock);
    return arg;
}
static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    half = 1;
    half = 0;
    pthread_rwlock_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    for (;;) {
        pthread_create(&t, 0, reader, 0);
        pthread_create(&t, 0, writer, 0);
    }
}
