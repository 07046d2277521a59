// expect: unsafe threads=3
// property: race
// about: each thread has the element and a part of the next one that its creator pointed out
// lines: 12 13
#include <pthread.h>

static struct { int first, second; } cells[100];

static void *worker(void *argument)
{
    int *cell = argument;
    cell[0] = 1;
    cell[2] = cell[0];
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    for (int i = 0; i < argc && i < 100; i++)
        pthread_create(&thread, 0, worker, &cells[i].first);
    return 0;
}
