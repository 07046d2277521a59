// expect: safe
// A start function that calls through a pointer does not call itself: its address is in no pointer.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct start {
    void *(*function)(void *);
    void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(count >= 0 && count < 2);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *run(void *argument)
{
    struct start *start = argument;
    return start->function(start->argument);
}

static void create(pthread_t *thread, struct start *start)
{
    pthread_create(thread, 0, run, start);
}

int main(void)
{
    struct start start = {work, 0};
    pthread_t first, second;
    create(&first, &start);
    create(&second, &start);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
}
