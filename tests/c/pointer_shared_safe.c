// expect: safe
// A local whose address reaches another thread is shared.

#include <assert.h>
#include <pthread.h>

static void *child(void *arg) {
    int *p = arg;
    (*p)++;
    return 0;
}
int main(void) {
    pthread_t t;
    int n = 0;
    pthread_create(&t, 0, child, &n);
    pthread_join(t, 0);
    n++;
    assert(n == 2);
    return 0;
}
