// expect: unsafe threads=2
// line: 28
// A recursive mutex is free only after as many unlocks as locks.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int n;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    n = 5;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, 0, child, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    int before = n;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    assert(n == before);
    pthread_join(t, 0);
    return 0;
}
