// expect: safe
// Joining oneself gives EDEADLK.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    int r = pthread_join(pthread_self(), 0);
    assert(r == EDEADLK);
    return 0;
}
