// expect: unsafe threads=2
// line: 21
// A semaphore puts one thing after another.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int value;
static void *child(void *arg) {
    sem_post(&s);
    value = 9;
    return arg;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, child, 0);
    sem_wait(&s);
    assert(value == 9);
    pthread_join(t, 0);
    return 0;
}
