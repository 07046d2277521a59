// expect: unsafe threads=2
// line: 22
// An allocation that is published to another thread.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *box;
static void *child(void *arg) {
    int *p = malloc(sizeof *p);
    *p = 4;
    box = p;
    *p = 5;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    int *p = box;
    if (p)
        assert(*p == 5);
    pthread_join(t, 0);
    return 0;
}
