// expect: unsafe threads=2
// line: 20
// A ticket lock; the wrong one reads and adds in two steps.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar next, serving;
static int inside;
static void enter(void) {
    unsigned char mine = next;
    next = mine + 1;
    while (serving != mine)
        ;
}
static void visit(void) {
    enter();
    inside++;
    assert(inside == 1);
    inside--;
    atomic_fetch_add(&serving, 1);
}
static void *child(void *arg) {
    visit();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    visit();
    pthread_join(t, 0);
    return 0;
}
