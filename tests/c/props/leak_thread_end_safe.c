// expect: safe
// property: leak
// about: the result of a thread leads to memory until it is joined
#include <pthread.h>
#include <stdlib.h>

static void *child(void *unused)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    return p;
}
int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, &result);
    free(result);
    return 0;
}
