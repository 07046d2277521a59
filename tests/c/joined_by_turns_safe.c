// expect: safe
// Each of three threads is known by its place in the array, once the loops are unrolled.

#include <assert.h>
#include <pthread.h>

static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(count == 3);
}
