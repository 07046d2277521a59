// expect: unsafe threads=2
// ways: concrete
// line: 23
// A thread that does not allow it is not cancelled before it does.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int done;
static void *work(void *argument) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    sleep(1);
    done = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_testcancel();
    done = 2;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(done == 1);
    return 0;
}
