// expect: unsafe threads=2
// property: race
// about: the end of what threads use, before the last one has counted itself out
// lines: 14 29
#include <pthread.h>
#include <stdatomic.h>

static atomic_int alive;
static int cells[64];

static void *worker(void *argument)
{
    int *cell = argument;
    *cell = 1;
    atomic_fetch_sub(&alive, 1);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    for (int i = 0; i < argc && i < 64; i++) {
        atomic_fetch_add(&alive, 1);
        pthread_create(&thread, 0, worker, &cells[i]);
    }
    while (atomic_load(&alive) < 0)
        ;
    return cells[0];
}
