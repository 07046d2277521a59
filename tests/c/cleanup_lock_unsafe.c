// expect: unsafe threads=2
// line: 18
// A lock that a handler releases: two threads count one after the other.

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void release(pthread_mutex_t **p) { pthread_mutex_unlock(*p); }

static void *count(void *unused) {
    pthread_mutex_lock(&m);
    __attribute__((__cleanup__(release))) pthread_mutex_t *guard = &m;
    int y = x;
    x = y + 1;
    assert(x <= 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
