// expect: unsafe threads=2
// property: leak
// about: what only locals of a thread lead to is lost when it ends
#include <pthread.h>
#include <stdlib.h>

static void *child(void *unused)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, 0);
    return 0;
}
