// expect: safe
// ways: concrete
// Keys that a function makes, more than one of them.
#include <assert.h>
#include <pthread.h>
static pthread_key_t keys[2];
static int ended;
static void end(void *value) { ended += *(int *)value; }
static void make(pthread_key_t *key) { pthread_key_create(key, end); }
static int one = 1, two = 2;
static void *work(void *argument) {
    pthread_setspecific(keys[0], &one);
    pthread_setspecific(keys[1], &two);
    return argument;
}
int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        make(&keys[i]);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(ended == 3);
    return 0;
}
