// expect: unsafe threads=2
// line: 46
// The stack of `aba_stack_unsafe.c` with nodes from `malloc`, whose cells have any values until they are written. The popper has read the top and its
// successor when the other thread pops both, frees the first and pushes a new node at its address: the swap succeeds, and the successor is popped twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static atomic_int popped[3];

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    struct node *old = atomic_load(&top);
    do
        n->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, n));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    struct node *next;
    do {
        if (!old)
            return 0;
        next = old->next;
    } while (!atomic_compare_exchange_strong(&top, &old, next));
    return old;
}

/* Takes an element: nobody else has it. */
static struct node *take(void)
{
    struct node *n = pop();
    if (n) {
        int before = atomic_fetch_add(&popped[n->value], 1);
        assert(before == 0);
    }
    return n;
}

static void *popper(void *arg)
{
    free(take());
    return 0;
}

int main(void)
{
    pthread_t t;
    push(0);
    push(1);
    pthread_create(&t, 0, popper, 0);
    struct node *first = take();
    struct node *second = take();
    free(first);
    push(2);
    free(take());
    free(second);
    return 0;
}
