// expect: unsafe threads=2
// line: 31
// The sibling of `unwritten_copied_safe.c` that uses what it has copied.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long value;
};

static struct node *shared;
static long copied;

static void *reader(void *unused)
{
    long value = shared->value;
    long same = value;
    copied = same % 1000003;
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    // Some first value leaves this rest.
    assert(copied != 424242 + 1);
}
