// expect: safe
// ways: concrete
#include <assert.h>
#include <pthread.h>
int main(void) {
    int old = 7;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    return 0;
}
