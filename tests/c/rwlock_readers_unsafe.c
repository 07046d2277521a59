// expect: unsafe threads=2
// line: 22
// Two readers may be inside at once, two writers may not.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l;
static _Bool here;
static void *child(void *arg) {
    pthread_rwlock_rdlock(&l);
    here = 1;
    here = 0;
    pthread_rwlock_unlock(&l);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_rwlock_init(&l, 0);
    pthread_create(&t, 0, child, 0);
    pthread_rwlock_rdlock(&l);
    assert(!here);
    pthread_rwlock_unlock(&l);
    pthread_join(t, 0);
    pthread_rwlock_destroy(&l);
    return 0;
}
