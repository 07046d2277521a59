// expect: unsafe threads=3
// property: race
// about: each thread has the element at half the number it was created with, and works at it later
// lines: 17
#include <pthread.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[64], sum;

static void *worker(void *argument)
{
    int index = (int)(intptr_t)argument;
    pthread_mutex_lock(&lock);
    sum += index;
    pthread_mutex_unlock(&lock);
    cells[index / 2] = 7;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int argc = __VERIFIER_nondet_int();
    for (int i = 0; i < argc && i < 64; i++)
        pthread_create(&thread, 0, worker, (void *)(intptr_t)i);
    return 0;
}
