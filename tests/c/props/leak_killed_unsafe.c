// expect: unsafe threads=2
// property: leak
// about: P-30: main returns while a thread is between malloc and free
// lines: 18
#include <pthread.h>
#include <stdlib.h>

static void *child(void *unused)
{
    int *p = malloc(sizeof *p);
    free(p);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    return 0;
}
