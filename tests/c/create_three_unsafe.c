// expect: unsafe threads=4
// args: -DN=3
// line: 12
// A bounded loop that creates and joins; the bug needs all three children.

#include <assert.h>
#include <pthread.h>

static unsigned char waiting;
static void *child(void *arg) {
    __sync_fetch_and_add(&waiting, 1);
    assert(waiting < N);
    __sync_fetch_and_sub(&waiting, 1);
    return arg;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, child, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
