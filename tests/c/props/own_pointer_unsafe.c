// expect: unsafe threads=3
// property: race
// about: each thread has the element and a part of the next one that its creator pointed out
// lines: 12 13
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static struct { int first, second; } cells[100];

static void *worker(void *argument)
{
    int *cell = argument;
    cell[0] = 1;
    cell[2] = cell[0];
    return 0;
}

int main(void)
{
    pthread_t thread;
    int argc = __VERIFIER_nondet_int();
    for (int i = 0; i < argc && i < 100; i++)
        pthread_create(&thread, 0, worker, &cells[i].first);
    return 0;
}
