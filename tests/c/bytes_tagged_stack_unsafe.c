// expect: unsafe threads=2
// line: 46
// A stack whose top has a mark in the lowest bit of the pointer: who marks it has it alone.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct node {
    struct node *next;
    int value;
};

static struct node nodes[2];
static _Atomic uintptr_t top;
static int sum;

static void push(struct node *n)
{
    uintptr_t old;
    do {
        old = atomic_load(&top) & ~(uintptr_t)1;
        n->next = (struct node *)old;
    } while (!atomic_compare_exchange_strong(&top, &old, (uintptr_t)n));
}

static struct node *pop(void)
{
    for (;;) {
        uintptr_t old = atomic_load(&top);
        if (!old)
            return 0;
        old &= ~(uintptr_t)1;
        if (atomic_exchange(&top, old | 1)) {
            struct node *n = (struct node *)(atomic_load(&top) & ~(uintptr_t)1);
            atomic_store(&top, (uintptr_t)n->next);
            return n;
        }
    }
}

static void *worker(void *argument)
{
    struct node *n = pop();
    if (n) {
        assert(n->value > 0);
        n->value = -n->value;
    }
    return 0;
}

int main(void)
{
    nodes[0].value = 1;
    nodes[1].value = 2;
    push(&nodes[0]);
    push(&nodes[1]);
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(nodes[0].value == -1 && nodes[1].value == -2);
    return 0;
}
