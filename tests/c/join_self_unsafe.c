// expect: unsafe threads=1
// line: 11
// Joining oneself gives EDEADLK.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    int r = pthread_join(pthread_self(), 0);
    assert(r == 0);
    return 0;
}
