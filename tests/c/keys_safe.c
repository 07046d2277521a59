// expect: safe
// Values of a pthread key belong to the thread.

#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int a = 1, b = 2;
static void *child(void *arg) {
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, &b);
    int *p = pthread_getspecific(key);
    *p = 5;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_key_create(&key, 0);
    pthread_setspecific(key, &a);
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    int *p = pthread_getspecific(key);
    assert(*p == 1);
    assert(b == 5);
    return 0;
}
