// expect: safe
// The variable is declared with 4 and starts with 5: one turn, not two.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static void *count(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    assert(started != 2);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    {
        int i = 4;
        if (i = 5, 1) for (; i < 6; i++) pthread_create(&thread, 0, count, 0);
    }
    pthread_join(thread, 0);
    return 0;
}
