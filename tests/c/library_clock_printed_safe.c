// expect: safe
// ways: concrete
// A time that is only printed decides nothing.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
static int done;
static void *work(void *argument) {
    done = 1;
    return argument;
}
static double now(void) {
    struct timeval t;
    int code = gettimeofday(&t, 0);
    assert(code == 0);
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}
int main(void) {
    pthread_t thread;
    double start = now();
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    printf("%f seconds\n", now() - start);
    assert(done);
    return 0;
}
