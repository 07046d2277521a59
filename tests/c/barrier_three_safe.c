// expect: safe
// ways: exact
// Three threads meet twice; between the meetings each sees what all have done before the first.

#include <assert.h>
#include <pthread.h>

static pthread_barrier_t meeting;
static unsigned char done[3];
static void *work(void *arg) {
    int me = (int)(long)arg;
    done[me] = 1;
    pthread_barrier_wait(&meeting);
    assert(done[0] && done[1] && done[2]);
    pthread_barrier_wait(&meeting);
    done[me] = 0;
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_barrier_init(&meeting, 0, 3);
    pthread_create(&t, 0, work, (void *)1);
    pthread_create(&u, 0, work, (void *)2);
    work(0);
    return 0;
}
