// expect: unsafe threads=2
// line: 11
// An external function writes cell after cell: another thread sees what is half written.
#include <assert.h>
#include <pthread.h>
struct pair { int a; int b; int *other; } pair;
int done;
void refresh(struct pair *pair);
void *look(void *unused) {
    int seen = pair.a;
    assert(seen == 0 || done);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, look, 0);
    refresh(&pair);
    done = 1;
    pthread_join(t, 0);
    return 0;
}
