// expect: unsafe threads=3
// line: 17
// A broadcast wakes both sleepers, who then go one after the other.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int open_gate, tickets = 1, served;
static void *child(void *arg) {
    pthread_mutex_lock(&m);
    while (!open_gate)
        pthread_cond_wait(&c, &m);
        tickets--;
        served++;
    assert(tickets >= 0);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, child, 0);
    pthread_create(&u, 0, child, 0);
    pthread_mutex_lock(&m);
    open_gate = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
