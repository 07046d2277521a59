// expect: unsafe threads=2
// line: 29
// A stack with a compare-exchange on a pointer; the wrong one loses a node.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node { struct node *next; };
static struct node nodes[2];
static _Atomic(struct node *) top;
static void push(struct node *n) {
    struct node *old = atomic_load(&top);
    do
        n->next = old;
    while (0);
    atomic_store(&top, n);
}
static void *child(void *arg) {
    push(&nodes[1]);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    push(&nodes[0]);
    pthread_join(t, 0);
    struct node *n = top;
    assert(n && n->next);
    return 0;
}
