// expect: safe
// The stack of nodes from a pool that are never freed, with a version in the upper half of the word that holds the top: safe, and nothing is
// undefined.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    atomic_uint next;
    int value;
};

/* Node 0 is none. */
static struct node pool[3];
static atomic_uint top;
static atomic_int popped[3];

static void push(unsigned n)
{
    unsigned old = atomic_load(&top);
    do
        atomic_store(&pool[n].next, old & 255u);
    while (!atomic_compare_exchange_strong(&top, &old, ((old & ~255u) + 256u) | n));
}

static unsigned pop(void)
{
    unsigned old = atomic_load(&top), next;
    do {
        if ((old & 255u) == 0)
            return 0;
        next = atomic_load(&pool[old & 255u].next);
    } while (!atomic_compare_exchange_strong(&top, &old, ((old & ~255u) + 256u) | next));
    return old & 255u;
}

static unsigned take(void)
{
    unsigned n = pop();
    if (n) {
        int before = atomic_fetch_add(&popped[n], 1);
        assert(before == 0);
    }
    return n;
}

static void give(unsigned n)
{
    if (n) {
        atomic_fetch_sub(&popped[n], 1);
        push(n);
    }
}

static void *popper(void *arg)
{
    take();
    return 0;
}

int main(void)
{
    pthread_t t;
    push(1);
    push(2);
    pthread_create(&t, 0, popper, 0);
    unsigned first = take();
    take();
    give(first);
    take();
    return 0;
}
