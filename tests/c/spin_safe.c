// expect: safe
// A spin lock is a lock.

#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t s;
static int n;
static void *child(void *arg) {
    pthread_spin_lock(&s);
    n += 2;
    pthread_spin_unlock(&s);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, 0, child, 0);
    if (pthread_spin_trylock(&s) == 0) {
        n += 1;
        pthread_spin_unlock(&s);
    }
    pthread_join(t, 0);
    assert(n >= 2);
    pthread_spin_destroy(&s);
    return 0;
}
