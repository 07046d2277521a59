// expect: unsafe threads=2
// line: 19
// Each thread has its own copy of a thread-local variable.

#include <assert.h>
#include <pthread.h>

static int mine = 3;
static int other;
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
