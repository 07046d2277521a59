// expect: safe
// abort ends the whole program, and is no error.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;
static void *child(void *arg) {
    x = 1;
    abort();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
