// expect: safe
// ways: concrete
// A recursive function in two threads.

#include <assert.h>
#include <pthread.h>

static int n;
static void add(int times) {
    if (times == 0)
        return;
    __sync_fetch_and_add(&n, 1);
    add(times - 1);
}
static void *child(void *arg) {
    add(2);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    add(1);
    pthread_join(t, 0);
    assert(n == 3);
    return 0;
}
