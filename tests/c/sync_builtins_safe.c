// expect: safe
// The __sync family: each call is one step.

#include <assert.h>
#include <pthread.h>

static int n;
static void *child(void *arg) {
    __sync_fetch_and_add(&n, 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    __sync_add_and_fetch(&n, 1);
    pthread_join(t, 0);
    assert(n == 2);
    assert(__sync_fetch_and_sub(&n, 1) == 2);
    assert(__sync_fetch_and_or(&n, 6) == 1 && n == 7);
    assert(__sync_and_and_fetch(&n, 5) == 5);
    assert(__sync_xor_and_fetch(&n, 1) == 4);
    return 0;
}
