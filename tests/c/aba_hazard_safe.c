// expect: safe
// The stack with a hazard pointer: the popper says which node it reads, and looks again whether that is still the top; the other thread frees a
// node only if nobody reads it. So no address that is read is used again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static _Atomic(struct node *) hazard;
static atomic_int popped[3];

static void push(int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    struct node *old = atomic_load(&top);
    do
        n->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, n));
}

static void count(struct node *n)
{
    int before = atomic_fetch_add(&popped[n->value], 1);
    assert(before == 0);
}

static void *popper(void *arg)
{
    struct node *old = atomic_load(&top);
    if (!old)
        return 0;
    atomic_store(&hazard, old);
    if (atomic_load(&top) != old)
        return 0;
    struct node *next = old->next;
    if (atomic_compare_exchange_strong(&top, &old, next))
        count(old);
    return 0;
}

/* Only this thread frees, and the popper gives no node back: the top that it sees stays alive. */
static struct node *take(void)
{
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
    if (old)
        count(old);
    return old;
}

int main(void)
{
    pthread_t t;
    push(0);
    push(1);
    pthread_create(&t, 0, popper, 0);
    struct node *first = take();
    take();
    if (first && atomic_load(&hazard) != first)
        free(first);
    push(2);
    take();
    return 0;
}
