// expect: safe
// ways: concrete
// The number is only compared with what an array holds: one number of each part stands for the others.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
double values[8], wanted;
int found[2];
static void *count(void *half)
{
    int at = (int)(long)half;
    for (int i = 4 * at; i < 4 * at + 4; i++)
        if (values[i] == wanted)
            found[at]++;
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
    assert(all == found[0] + found[1]);
    return 0;
}
