// expect: safe
// Whoever signals before anybody waits is not remembered: the flag is.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag;
int main(void) {
    pthread_cond_signal(&c);
    pthread_cond_broadcast(&c);
    pthread_mutex_lock(&m);
    flag = 1;
    while (!flag)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    assert(flag == 1);
    return 0;
}
