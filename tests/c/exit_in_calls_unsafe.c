// expect: unsafe threads=2
// line: 12
// Threads and the program end in functions; destructors and `atexit` functions run in order.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int made, done;

__attribute__((constructor)) static void before(void) { made = 1; }
__attribute__((destructor)) static void after(void) { assert(done == 1); }
static void bye(void) { done = done == 1 ? 2 : 5; }
static void leave(void) { pthread_exit(0); }
static void quit(int code) {
    done = 1;
    exit(code);
}

static void *run(void *p) {
    leave();
    return p;
}

int main(void) {
    pthread_t t;
    assert(made);
    atexit(bye);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    quit(0);
    assert(0);
}
