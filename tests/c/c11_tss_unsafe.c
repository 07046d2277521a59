// expect: unsafe threads=2
// line: 23
// tss_create, tss_set and tss_get: values of the thread.

#include <assert.h>
#include <threads.h>

static tss_t key;
static int a = 1, b = 2;
static int child(void *arg) {
    (void)arg;
    tss_set(key, &b);
    return *(int *)tss_get(key);
}
int main(void) {
    thrd_t t;
    int r = 0;
    tss_create(&key, 0);
    tss_set(key, &a);
    thrd_create(&t, child, 0);
    thrd_join(t, &r);
    assert(r == 2);
    assert(*(int *)tss_get(key) == 2);
    return 0;
}
