// expect: unsafe threads=2
// ways: concrete
// line: 31
// Two threads are given the same compound literal: the second value may come before the first thread looks.

#include <assert.h>
#include <pthread.h>

static int found[2];

static void *works(void *arg) {
    int *mine = arg;
    int value = *mine;
    found[value] = 1;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int at = 0;
    {
    again:
        pthread_create(&threads[at], 0, works, &(int){ at });
        if (at++ == 0) {
            goto again;
        }
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    // One thread at a time is enough: the first may begin late.
    assert(found[0]);
    return 0;
}
