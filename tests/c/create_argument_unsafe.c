// expect: unsafe threads=2
// line: 20
// The argument of a thread is a value of its own, unless it points to a shared variable.

#include <assert.h>
#include <pthread.h>

static int seen[3];
static void *child(void *arg) {
    seen[*(int *)arg]++;
    return 0;
}
int main(void) {
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], 0, child, &i);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(seen[0] == 1 && seen[1] == 1);
    return 0;
}
