// expect: unsafe threads=2
// line: 21
// Two increments under a lock; without it one is lost.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    n++;
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
