// expect: unsafe threads=2
// line: 24
// A timed wait for a semaphore may give up.

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t s;
static int value;
static void *child(void *arg) {
    value = 1;
    sem_post(&s);
    return arg;
}
int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, child, 0);
    int r = sem_timedwait(&s, &until);
    assert(r == 0);
    pthread_join(t, 0);
    return 0;
}
