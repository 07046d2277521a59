// expect: safe
// Two threads take the buffer under a lock: one of them frees it, the other frees null.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int *buffer;

static void *drop(void *unused) {
    pthread_mutex_lock(&guard);
    int *mine = buffer;
    buffer = 0;
    pthread_mutex_unlock(&guard);
    free(mine);
    return unused;
}

int main(void) {
    pthread_t first, second;
    buffer = malloc(sizeof *buffer);
    pthread_create(&first, 0, drop, 0);
    pthread_create(&second, 0, drop, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(buffer == 0);
    return 0;
}
