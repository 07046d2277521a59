// expect: safe
// undefined: 17 (joining a thread that cannot be joined)
// A thread is joined twice.

#include <assert.h>
#include <pthread.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    int ended = 0;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    pthread_join(thread, 0);
    ended = 1;
    assert(ended);
    return 0;
}
