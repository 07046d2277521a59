// expect: unsafe threads=2
// line: 14
// The last thing that `main` does is a `free`: the other thread may get the address, which it still has.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *worker(void *arg)
{
    int *mine = shared;
    int *other = malloc(sizeof *other);
    assert(mine != other);
    return 0;
}

int main(void)
{
    pthread_t t;
    shared = malloc(sizeof *shared);
    pthread_create(&t, 0, worker, 0);
    free(shared);
    return 0;
}
