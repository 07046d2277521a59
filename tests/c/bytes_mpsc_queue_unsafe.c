// expect: unsafe threads=3
// line: 64
// A queue of many producers and one consumer: links are inside the elements, which the consumer finds from them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct link {
    _Atomic(struct link *) next;
};

struct element {
    char tag;
    int value;
    struct link link;
};

#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

static struct link stub;
static _Atomic(struct link *) tail = &stub;
static struct link *head = &stub;
static struct element elements[2];

static void push(struct link *l)
{
    atomic_store(&l->next, NULL);
    struct link *before = atomic_load(&tail);
    atomic_store(&tail, l);
    atomic_store(&before->next, l);
}

static struct element *pop(void)
{
    struct link *next = atomic_load(&head->next);
    if (!next)
        return NULL;
    head = next;
    return container_of(next, struct element, link);
}

static void *producer(void *argument)
{
    int i = (int)(size_t)argument;
    elements[i].value = 10 + i;
    push(&elements[i].link);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, (void *)0);
    pthread_create(&t[1], NULL, producer, (void *)1);
    int sum = 0;
    struct element *e = pop();
    if (e)
        sum += e->value;
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    while ((e = pop()))
        sum += e->value;
    assert(sum == 21);
    return 0;
}
