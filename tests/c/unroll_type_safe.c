// expect: safe
// The loop's variable leaves its type after two turns: the turns are those of the type, not of the numbers.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static void *count(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    assert(started <= 2);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    for (signed char i = 126; i > 0; i++) {
        pthread_create(&thread, 0, count, 0);
    }
    pthread_join(thread, 0);
    return 0;
}
