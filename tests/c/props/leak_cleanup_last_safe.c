// expect: safe
// property: leak
// set: leak.cleanup=on
// about: with leak.cleanup=on a thread frees after main has ended
#include <pthread.h>
#include <stdlib.h>

static int *kept;
static void *child(void *unused)
{
    free(kept);
    return 0;
}
int main(void)
{
    pthread_t thread;
    kept = malloc(sizeof *kept);
    pthread_create(&thread, 0, child, 0);
    pthread_exit(0);
}
