// expect: unsafe threads=2
// line: 12
// pthread_exit in main ends main alone: the child goes on.

#include <assert.h>
#include <pthread.h>

static volatile int x;
static void *child(void *arg) {
    while (x == 0)
        ;
    assert(x == 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    x = 2;
    pthread_exit(0);
}
