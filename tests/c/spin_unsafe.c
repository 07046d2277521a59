// expect: unsafe threads=2
// line: 22
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
    n += 1;
    pthread_join(t, 0);
    assert(n >= 2);
    pthread_spin_destroy(&s);
    return 0;
}
