// expect: safe
// mtx_timedlock and cnd_timedwait may give up.

#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static cnd_t c;
static int ready;
static int child(void *arg) {
    (void)arg;
    mtx_lock(&m);
    ready = 1;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t t;
    struct timespec until = {1, 0};
    mtx_init(&m, mtx_timed);
    cnd_init(&c);
    thrd_create(&t, child, 0);
    int taken = mtx_timedlock(&m, &until);
    assert(taken == thrd_success || taken == thrd_timedout);
    if (taken == thrd_success) {
        int r = thrd_success;
        while (!ready && r == thrd_success)
            r = cnd_timedwait(&c, &m, &until);
        assert(ready || r == thrd_timedout);
        mtx_unlock(&m);
    }
    thrd_join(t, 0);
    return 0;
}
