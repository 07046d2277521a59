// expect: safe
// property: leak
// about: the argument of a thread that is created leads to memory
#include <pthread.h>
#include <stdlib.h>

static void *child(void *cell)
{
    free(cell);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, malloc(4));
    pthread_join(thread, 0);
    return 0;
}
