// expect: safe
// Attributes of threads change nothing.

#include <assert.h>
#include <pthread.h>

static int x;
static void *child(void *arg) {
    x++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    pthread_create(&t, &attr, child, 0);
    pthread_attr_destroy(&attr);
    pthread_join(t, 0);
    x++;
    assert(x == 2);
    return 0;
}
