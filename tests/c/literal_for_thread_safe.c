// expect: safe
// ways: concrete
// A thread is given a compound literal of the block that waits for it.

#include <assert.h>
#include <pthread.h>

struct task {
    int number;
    int *result;
};

static void *works(void *arg) {
    struct task *mine = arg;
    *mine->result = mine->number + 1;
    return 0;
}

int main(void) {
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, 0, works, &(struct task){ 4, &result });
    pthread_join(thread, 0);
    assert(result == 5);
    return 0;
}
