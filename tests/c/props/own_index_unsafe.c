// expect: unsafe threads=3
// property: race
// about: each thread has the element at half the number it was created with
// lines: 13
#include <pthread.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
static int cells[100];

static void *worker(void *argument)
{
    int index = (int)(intptr_t)argument;
    cells[index / 2] = index;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int argc = __VERIFIER_nondet_int();
    for (int i = 0; i < argc && i < 100; i++)
        pthread_create(&thread, 0, worker, (void *)(intptr_t)i);
    return 0;
}
