// expect: safe
// Calls that do nothing still evaluate their arguments.

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static int n;
static void *child(void *arg) {
    sched_yield();
    n = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    int i = 0;
    pthread_create(&t, 0, child, 0);
    usleep(1);
    printf("%d %s\n", i++, "text");
    fflush(stdout);
    puts("done");
    assert(i == 1);
    pthread_join(t, 0);
    assert(n == 1);
    return 0;
}
