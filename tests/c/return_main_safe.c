// expect: safe
// main's return ends the program: a child that needs more time is cut off.

#include <assert.h>
#include <pthread.h>

static int x;
static void *child(void *arg) {
    if (x == 1) {
        assert(x == 1);
        while (x == 1)
            ;
        assert(0);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    x = 1;
    return 0;
}
