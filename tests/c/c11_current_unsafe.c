// expect: unsafe threads=2
// line: 21
// thrd_current, thrd_equal, thrd_yield and thrd_detach.

#include <assert.h>
#include <threads.h>

static thrd_t first;
static int same = 2;
static int child(void *arg) {
    (void)arg;
    thrd_yield();
    same = thrd_equal(first, thrd_current()) != 0;
    return 0;
}
int main(void) {
    thrd_t t;
    first = thrd_current();
    thrd_create(&t, child, 0);
    thrd_detach(t);
    assert(same == 0);
    return 0;
}
