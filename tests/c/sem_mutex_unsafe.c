// expect: unsafe threads=2
// line: 25
// A semaphore with one unit is a lock, with two it is none.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int n;
static void *child(void *arg) {
    sem_wait(&s);
    n++;
    sem_post(&s);
    return arg;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 2);
    pthread_create(&t, 0, child, 0);
    sem_wait(&s);
    n++;
    sem_post(&s);
    pthread_join(t, 0);
    assert(n == 2);
    sem_destroy(&s);
    return 0;
}
