// expect: unsafe threads=2
// ways: concrete
// line: 27
// A thread that is cancelled while it sleeps has the mutex again when its handlers run.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int ready, held;
static void give(void *argument) {
    held = pthread_mutex_unlock(&mutex) == 0;
}
static void *work(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(give, 0);
    while (!ready)
        pthread_cond_wait(&change, &mutex);
    pthread_cleanup_pop(1);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(pthread_mutex_trylock(&mutex) == 0);
    assert(!held);
    return 0;
}
