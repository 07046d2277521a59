// expect: safe
// undefined: 14 (double free)
// Two threads see the same buffer before either has taken it: both free it.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *buffer;

static void *drop(void *unused) {
    int *mine = buffer;
    buffer = 0;
    free(mine);
    return unused;
}

int main(void) {
    pthread_t first, second;
    buffer = malloc(sizeof *buffer);
    pthread_create(&first, 0, drop, 0);
    pthread_create(&second, 0, drop, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(buffer == 0);
    return 0;
}
