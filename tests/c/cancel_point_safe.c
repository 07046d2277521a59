// expect: safe
// ways: concrete
// A thread is cancelled where it waits: its handler runs, and what comes after the wait does not.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static int cleaned, passed;
static void clean(void *argument) { cleaned++; }
static void *work(void *argument) {
    pthread_cleanup_push(clean, 0);
    sem_wait(&never);
    passed = 1;
    pthread_cleanup_pop(0);
    return argument;
}
int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(cleaned == 1 && !passed);
    return 0;
}
