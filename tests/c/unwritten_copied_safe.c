// expect: safe
// ways: concrete
// What memory holds that nobody has written is any value. As long as it is only copied, no value need be chosen.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long value;
};

static struct node *shared;
static int reads;

static void *reader(void *unused)
{
    struct node *next = shared->next;
    struct node *same = next;
    long value = shared->value;
    if (reads)
        shared = same;
    long copy = value;
    (void)copy;
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    assert(shared && reads == 0);
}
