// expect: safe
// The loop is entered again and again, and its variable starts only once: three threads in all.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static void *count(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    assert(started < 4);
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
