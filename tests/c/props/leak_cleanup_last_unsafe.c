// expect: unsafe threads=2
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on the program ends with its last thread
#include <pthread.h>
#include <stdlib.h>

static int *kept;
static void *child(void *unused)
{
    kept = malloc(sizeof *kept);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_exit(0);
}
