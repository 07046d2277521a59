// expect: unsafe threads=2
// line: 16
// Two reads of a shared variable in one expression are two steps.

#include <assert.h>
#include <pthread.h>

static int x;
static void *child(void *arg) {
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    assert(x - x == 0);
    pthread_join(t, 0);
    return 0;
}
