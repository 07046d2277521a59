// expect: safe
// Each turn has a pointer of its own, to an element of its own.

#include <assert.h>
#include <pthread.h>

static int cell[3];
static void *fill(void *arg) {
    *(int *)arg += 1;
    return 0;
}
int main(void) {
    pthread_t thread[3];
    int i;
    for (i = 0; i < 3; i++) {
        int *const mine = cell + i;
        pthread_create(thread + i, 0, fill, mine);
    }
    for (i = 0; i < 3; i++) {
        pthread_t which = thread[i];
        pthread_join(which, 0);
    }
    assert(cell[0] == 1 && cell[1] == 1 && cell[2] == 1);
    return 0;
}
