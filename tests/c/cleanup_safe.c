// expect: safe
// A cleanup handler runs at pthread_exit and where it is popped with a true argument.

#include <assert.h>
#include <pthread.h>

static int n;
static void clean(void *p) { n += *(int *)p; }
static void *child(void *arg) {
    int one = 1, two = 2;
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_push(clean, &two);
    pthread_cleanup_pop(1);
    pthread_exit(0);
    pthread_cleanup_pop(0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(n == 3);
    return 0;
}
