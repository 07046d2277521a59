// expect: safe
// Each thread has its own copy of a thread-local variable.

#include <assert.h>
#include <pthread.h>

static __thread int mine = 3;
static _Thread_local int other;
static void *child(void *arg) {
    mine++;
    other = mine;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(mine == 3);
    assert(other == 0);
    return 0;
}
