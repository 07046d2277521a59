// expect: unsafe threads=2
// line: 35
// Cleanup handlers that several functions push, and a function that ends the thread.

#include <assert.h>
#include <pthread.h>

int noted[4], count;
int one = 1, two = 2, three = 3;

static void note(void *p) { noted[count++] = *(int *)p; }

static void inner(int leave) {
    pthread_cleanup_push(note, &two);
    if (leave)
        pthread_exit(0);
    pthread_cleanup_pop(1);
}

static void *run(void *p) {
    pthread_cleanup_push(note, &one);
    inner(0);
    pthread_cleanup_push(note, &three);
    inner(1);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    assert(count == 4 && noted[0] == 2 && noted[1] == 2);
    assert(noted[2] == 1);
    return 0;
}
