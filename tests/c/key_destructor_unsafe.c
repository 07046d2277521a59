// expect: unsafe threads=2
// line: 20
// A key's destructor runs before the thread counts as ended.

#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int cleaned, data;
static void clean(void *p) { cleaned = *(int *)p; }
static void *child(void *arg) {
    data = 4;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_key_create(&key, clean);
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(cleaned == 4);
    return 0;
}
