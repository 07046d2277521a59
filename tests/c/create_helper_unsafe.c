// expect: unsafe threads=3
// line: 21
// Any number of threads of two kinds; a reader sees a number only after it is whole.

#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char low, high;
static void *writer(void *arg) {
    unsigned char v = __VERIFIER_nondet_bool();
    pthread_mutex_lock(&m);
    low = v;
    high = v;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *reader(void *arg) {
    unsigned char a = low, b = high;
    assert(a == b);
    return arg;
}
int main(void) {
    while (__VERIFIER_nondet_bool()) {
        pthread_t t;
        pthread_create(&t, 0, __VERIFIER_nondet_bool() ? writer : reader, 0);
    }
    return 0;
}
