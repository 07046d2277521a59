// expect: unsafe threads=3
// ways: concrete
// line: 32
// Both threads count in one place without a lock, but only numbers that both halves hold show it.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
double values[8], wanted;
int found;
static void *count(void *half)
{
    int at = (int)(long)half;
    for (int i = 4 * at; i < 4 * at + 4; i++)
        if (values[i] == wanted)
            found++;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 8; i++)
        values[i] = i % 3 + 1.5 - 0.5 * (i % 2);
    wanted = __VERIFIER_nondet_int();
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, count, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    int all = 0;
    for (int i = 0; i < 8; i++)
        all += values[i] == wanted;
    assert(all == found);
    return 0;
}
