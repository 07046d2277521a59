// expect: unsafe threads=2
// line: 32
// A count of references in a header in front of what the user sees.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct header {
    atomic_int count;
};

static atomic_int freed;

static void *make(size_t size)
{
    struct header *h = malloc(sizeof(struct header) + size);
    atomic_init(&h->count, 1);
    return h + 1;
}

static void keep(void *p)
{
    atomic_fetch_add(&((struct header *)p - 1)->count, 1);
}

static void drop(void *p)
{
    struct header *h = (struct header *)p - 1;
    h->count--;
    if (h->count == 0) {
        assert(atomic_fetch_add(&freed, 1) == 0);
        free(h);
    }
}

static void *worker(void *argument)
{
    short *numbers = argument;
    assert(numbers[0] == 1 && numbers[1] == 2);
    drop(numbers);
    return NULL;
}

int main(void)
{
    short *numbers = make(2 * sizeof(short));
    numbers[0] = 1;
    numbers[1] = 2;
    keep(numbers);
    pthread_t t;
    pthread_create(&t, NULL, worker, numbers);
    drop(numbers);
    pthread_join(t, NULL);
    assert(freed == 1);
    return 0;
}
