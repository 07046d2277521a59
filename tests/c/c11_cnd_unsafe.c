// expect: unsafe threads=2
// line: 29
// C11 condition variables.

#include <assert.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int items;
static int producer(void *arg) {
    (void)arg;
    mtx_lock(&m);
    items++;
    cnd_signal(&c);
    mtx_unlock(&m);
    thrd_exit(4);
}
int main(void) {
    thrd_t t;
    int r = 0;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, producer, 0);
    mtx_lock(&m);
    if (items == 0)
        cnd_wait(&c, &m);
    items--;
    assert(items == 0);
    mtx_unlock(&m);
    thrd_join(t, &r);
    assert(r == 4);
    cnd_destroy(&c);
    return 0;
}
