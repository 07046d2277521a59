// expect: unsafe threads=2
// line: 23
// After a wait the mutex is held again.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int a, b;
static void *child(void *arg) {
    a = 1;
    b = 1;
    pthread_cond_signal(&c);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_mutex_lock(&m);
    while (a == 0)
        pthread_cond_wait(&c, &m);
    assert(b == 1);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
