// expect: safe
// undefined: 11 (a jump out of a block whose cleanup handler is still pushed)
// Leaving the block of a cleanup handler by `return` is undefined behaviour.

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
    assert(leave(0) == 0);
    leave(1);
    assert(0);
    return 0;
}
