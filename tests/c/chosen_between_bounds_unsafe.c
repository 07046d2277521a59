// expect: unsafe threads=2
// ways: concrete
// line: 35
// Five does not divide twelve.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int count, parts, done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *number)
{
    int own = *(int *)number * 12;
    pthread_mutex_lock(&lock);
    done += own / count;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    count = __VERIFIER_nondet_int();
    if (count > 5 || count <= 0)
        return 0;
    parts = count;
    pthread_t *threads = malloc(sizeof(pthread_t) * count);
    int *numbers = malloc(sizeof(int) * count);
    for (int i = 0; i < parts; i++) {
        numbers[i] = 1;
        pthread_create(&threads[i], 0, worker, &numbers[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    assert(done == 12);
    return 0;
}
