// expect: unsafe threads=2
// line: 11
// The loop is entered twice, and its variable starts over only once: two threads in all.

#include <assert.h>
#include <pthread.h>

static int started;
static void *count(void *arg) {
    started++;
    assert(started < 2);
    return arg;
}
int main(void) {
    pthread_t thread;
    int i = 0;
    for (int round = 0; round < 2; round++) {
        for (; i < 2; i++) {
            pthread_create(&thread, 0, count, 0);
            pthread_join(thread, 0);
        }
    }
    return 0;
}
