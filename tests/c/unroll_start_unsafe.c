// expect: unsafe threads=2
// line: 12
// The variable is declared with 5 and starts with 0.

#include <assert.h>
#include <pthread.h>

static int started;
static void *count(void *arg) {
    __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
    int now = __atomic_load_n(&started, __ATOMIC_SEQ_CST);
    assert(now < 3);
    return arg;
}
int main(void) {
    pthread_t thread;
    {
        int i = 5, other = i = 0;
        for (; i < 3; i++) {
            pthread_create(&thread, 0, count, 0);
            pthread_join(thread, 0);
        }
        (void)other;
    }
    return 0;
}
