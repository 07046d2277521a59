// expect: unsafe threads=2
// line: 13
// No value of the variable's type ends the loop: counted as numbers it would have four turns.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static void *count(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    assert(started != 5);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    for (unsigned char i = 253; i < 257; i++) pthread_create(&thread, 0, count, 0);
    pthread_join(thread, 0);
    return 0;
}
