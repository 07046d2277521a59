// expect: safe
// undefined: 55 (use after free of `old_2`)
// The stack of `aba_tagged_safe.c` with nodes from `malloc`: the popper may read the successor of a freed node, or that of a new one at its address,
// which has any value until it is written. Its swap then fails, so no element is popped twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *top;
static unsigned version;
static atomic_int popped[3];

/* A compare-and-swap of two words. */
static int __VERIFIER_atomic_swap(struct node *old, unsigned seen, struct node *new)
{
    if (top != old || version != seen)
        return 0;
    top = new;
    version = seen + 1;
    return 1;
}

static void __VERIFIER_atomic_look(struct node **old, unsigned *seen)
{
    *old = top;
    *seen = version;
}

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    struct node *old;
    unsigned seen;
    do {
        __VERIFIER_atomic_look(&old, &seen);
        n->next = old;
    } while (!__VERIFIER_atomic_swap(old, seen, n));
}

static struct node *pop(void)
{
    struct node *old, *next;
    unsigned seen;
    do {
        __VERIFIER_atomic_look(&old, &seen);
        if (!old)
            return 0;
        next = old->next;
    } while (!__VERIFIER_atomic_swap(old, seen, next));
    return old;
}

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
