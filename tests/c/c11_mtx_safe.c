// expect: safe
// C11 threads and mutexes.

#include <assert.h>
#include <threads.h>

static mtx_t m;
static int n;
static int child(void *arg) {
    int *step = arg;
    mtx_lock(&m);
    n += *step;
    mtx_unlock(&m);
    return *step + 1;
}
int main(void) {
    thrd_t t;
    int step = 2, result = 0;
    mtx_init(&m, mtx_plain);
    assert(thrd_create(&t, child, &step) == thrd_success);
    mtx_lock(&m);
    n += 3;
    mtx_unlock(&m);
    thrd_join(t, &result);
    assert(result == 3);
    assert(n == 5);
    mtx_destroy(&m);
    return 0;
}
