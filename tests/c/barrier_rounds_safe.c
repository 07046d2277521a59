// expect: safe
// A barrier is used again in the next round.

#include <assert.h>
#include <pthread.h>

static pthread_barrier_t b;
static int turn[2];
static void *child(void *arg) {
    for (int i = 0; i < 2; i++) {
        turn[1]++;
        pthread_barrier_wait(&b);
        pthread_barrier_wait(&b);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, child, 0);
    for (int i = 0; i < 2; i++) {
        turn[0]++;
        pthread_barrier_wait(&b);
        assert(turn[0] == turn[1]);
        pthread_barrier_wait(&b);
    }
    pthread_join(t, 0);
    return 0;
}
