// expect: unsafe threads=2
// line: 14
// The argument of an atomic function is read before its section begins.

#include <assert.h>
#include <pthread.h>

struct pair { int first, second; };
static struct pair shared;
static void *writer(void *arg) {
    shared = (struct pair){ 1, 1 };
    return arg;
}
static void __VERIFIER_atomic_look(struct pair pair) { assert(pair.first == shared.first); }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    __VERIFIER_atomic_look(shared);
    return 0;
}
