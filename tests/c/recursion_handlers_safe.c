// expect: safe
// A thread that ends deep in a recursion runs the handlers that its callers pushed.

#include <assert.h>
#include <pthread.h>

static int cleaned;
static void clean(void *arg) { cleaned += *(int *)arg; }
static int one = 1, two = 2;
static void descend(int depth) {
    if (depth == 0) pthread_exit(0);
    pthread_cleanup_push(clean, &two);
    ;
    descend(depth - 1);
    pthread_cleanup_pop(1);
}
static void *worker(void *arg) {
    pthread_cleanup_push(clean, &one);
    descend(*(int *)arg);
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    pthread_t thread;
    int depth = 2;
    pthread_create(&thread, 0, worker, &depth);
    pthread_join(thread, 0);
    assert(cleaned == 5);
    if (cleaned != 5) {
        depth = 3;
        pthread_create(&thread, 0, worker, &depth);
    }
    return 0;
}
