// expect: safe
// A taken mutex gives EBUSY, whoever tries it.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static void *child(void *arg) {
    if (pthread_mutex_trylock(&m) == 0) {
        inside = 1;
        inside = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    int r = pthread_mutex_trylock(&m);
    assert(r == 0 || r == EBUSY);
    if (r == 0) {
        assert(inside == 0);
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
