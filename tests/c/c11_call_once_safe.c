// expect: safe
// call_once: others wait until it has ended.

#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int value, runs;
static void setup(void) {
    runs++;
    value = 7;
}
static void prepare(void) {
    call_once(&once, setup);
}
static int child(void *arg) {
    (void)arg;
    prepare();
    return 0;
}
int main(void) {
    thrd_t t;
    thrd_create(&t, child, 0);
    prepare();
    assert(value == 7);
    thrd_join(t, 0);
    assert(runs == 1);
    return 0;
}
