// expect: unsafe threads=2
// property: race
// lines: 11 20
// about: P-5: the end of an object is a write of all of its bytes
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
    free(cell);
    pthread_join(thread, 0);
    return 0;
}
