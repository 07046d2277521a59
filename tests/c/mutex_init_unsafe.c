// expect: unsafe threads=2
// line: 23
// A mutex that is initialised and destroyed by calls.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int a, b;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    a = 1;
    b = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_create(&t, 0, child, 0);
    int x = a;
    int y = b;
    assert(x == y);
    pthread_join(t, 0);
    pthread_mutex_destroy(&m);
    return 0;
}
