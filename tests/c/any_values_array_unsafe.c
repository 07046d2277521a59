// expect: unsafe threads=3
// line: 21
// ways: concrete
// An array of any numbers is offered to a maximum, which is compared outside its mutex.

#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
static int numbers[40], best;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *offer(void *arg) {
    int i = __VERIFIER_nondet_int() & 31;
    int mine = numbers[i] > numbers[i + 1] ? numbers[i] : numbers[i + 1];
    if (mine > best) {
        pthread_mutex_lock(&m);
        best = mine;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    assert(best >= mine);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    for (int i = 0; i < 40; i++)
        numbers[i] = __VERIFIER_nondet_int();
    for (;;)
        pthread_create(&t, 0, offer, 0);
}
