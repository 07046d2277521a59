// expect: unsafe threads=1
// line: 16
// A handler that is popped is gone.

#include <assert.h>
#include <pthread.h>

static void clean(void *arg) { (void)arg; }
static int leave(int early) {
    pthread_cleanup_push(clean, 0);
    if (early) return 1;
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    assert(leave(0));
    return 0;
}
