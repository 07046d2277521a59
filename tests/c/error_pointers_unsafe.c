// expect: unsafe threads=2
// line: 34
// The error code is stored as if it were an object.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define IS_ERR(p) ((unsigned long)(p) >= (unsigned long)-4095)

static int first, *box = &first;

static int *make(int fails) {
    int *made = malloc(sizeof *made);
    if (fails) {
        free(made);
        return (int *)(unsigned long)-12;
    }
    *made = 1;
    return made;
}

static void *child(void *arg) {
    int *made = make(arg != 0);
    if (made)
        box = made;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, child, 0);
    pthread_create(&u, 0, child, (void *)1);
    assert(!IS_ERR(box));
    return 0;
}
