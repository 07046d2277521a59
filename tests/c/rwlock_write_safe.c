// expect: safe
// A reader sees no half of a writer's work.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static void *writer(void *arg) {
    pthread_rwlock_wrlock(&l);
    a = 1;
    b = 1;
    pthread_rwlock_unlock(&l);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_rwlock_rdlock(&l);
    int x = a, y = b;
    pthread_rwlock_unlock(&l);
    assert(x == y);
    pthread_join(t, 0);
    return 0;
}
