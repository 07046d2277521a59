// expect: safe
// Two locks in two orders: a deadlock is no failing assertion.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *child(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
