// expect: unsafe threads=2
// line: 13
// The same, with one thread too many for the assertion.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static void *count(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    assert(started < 3);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    {
        int i = 0;
        while (1) for (; i < 3; i++) pthread_create(&thread, 0, count, 0);
    }
    pthread_join(thread, 0);
    return 0;
}
