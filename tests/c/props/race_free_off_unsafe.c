// expect: unsafe threads=2
// property: race
// lines: 12 21
// set: race.free=off
// about: P-5: the end of an object is no access if the user says so; a store is one
#include <pthread.h>
#include <stdlib.h>

static void *use(void *pointer)
{
    int *cell = pointer;
    int value = *cell;
    return value ? pointer : 0;
}

int main(void)
{
    pthread_t thread;
    int *cell = calloc(1, sizeof *cell);
    pthread_create(&thread, 0, use, cell);
    *cell = 1;
    free(cell);
    pthread_join(thread, 0);
    return 0;
}
