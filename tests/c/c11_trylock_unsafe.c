// expect: unsafe threads=2
// line: 23
// mtx_trylock says thrd_busy where the mutex is taken.

#include <assert.h>
#include <threads.h>

static mtx_t m;
static int n;
static int child(void *arg) {
    (void)arg;
    mtx_lock(&m);
    n = 1;
    n = 0;
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain | mtx_recursive);
    thrd_create(&t, child, 0);
    int r = mtx_trylock(&m);
    assert(r != thrd_busy);
    thrd_join(t, 0);
    return 0;
}
