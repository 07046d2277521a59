// expect: unsafe threads=2
// line: 22
// __CPROVER_atomic_begin and end.

#include <assert.h>
#include <pthread.h>

extern void __CPROVER_atomic_begin(void);
extern void __CPROVER_atomic_end(void);
static int n;
static void *child(void *arg) {
    __CPROVER_atomic_begin();
    n = n + 1;
    __CPROVER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    n = n + 1;
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
