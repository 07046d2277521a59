// expect: safe
// Elements of a shared array are separate cells.

#include <assert.h>
#include <pthread.h>

static unsigned char a[2];
static void *child(void *arg) {
    a[(long)arg]++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, (void *)1);
    a[0]++;
    pthread_join(t, 0);
    assert(a[0] + a[1] == 2);
    return 0;
}
