// expect: unsafe threads=2
// line: 21
// pthread_once runs its function once, however many come.

#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;
static void setup(void) { runs++; }
static void *child(void *arg) {
    setup();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_once(&once, setup);
    pthread_once(&once, setup);
    pthread_join(t, 0);
    assert(runs == 1);
    return 0;
}
