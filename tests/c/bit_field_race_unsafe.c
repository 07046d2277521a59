// expect: unsafe threads=2
// line: 21
// Adjacent bit-fields are one cell: stores to two of them disturb each other.

#include <assert.h>
#include <pthread.h>

static struct {
    unsigned char a : 1;
    unsigned char b : 1;
} f;
static void *child(void *arg) {
    f.a = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    f.b = 1;
    pthread_join(t, 0);
    assert(f.a == 1 && f.b == 1);
    return 0;
}
