// expect: safe
// property: leak
// about: the result is still there for whoever joins, who never does
#include <pthread.h>
#include <stdlib.h>

static pthread_t thread;
static void *child(void *unused)
{
    return malloc(4);
}
static void *own(void *unused)
{
    pthread_create(&thread, 0, child, 0);
    return 0;
}
int main(void)
{
    pthread_t creating;
    pthread_create(&creating, 0, own, 0);
    pthread_join(creating, 0);
    pthread_exit(0);
}
