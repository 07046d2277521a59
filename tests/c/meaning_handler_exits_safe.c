// expect: safe
// undefined: 8 (a thread is ended by a handler that runs because it ends)
// A handler that runs because its thread ends must not end the thread once more.

#include <assert.h>
#include <pthread.h>

static void again(void *arg) { pthread_exit(arg); }
static void *worker(void *arg) {
    pthread_cleanup_push(again, 0);
    pthread_exit(0);
    pthread_cleanup_pop(0);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(0);
    return 0;
}
