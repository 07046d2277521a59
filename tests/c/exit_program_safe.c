// expect: safe
// exit in a thread ends the whole program.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *child(void *arg) {
    exit(0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(0);
}
