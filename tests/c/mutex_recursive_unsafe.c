// expect: unsafe threads=1
// line: 23
// The owner of a recursive mutex may take it again, and try it.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int n;
static void add(void) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
}
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutex_lock(&m);
    add();
    int r = pthread_mutex_trylock(&m);
    assert(r != 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    assert(n == 1);
    return 0;
}
