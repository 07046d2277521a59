// expect: unsafe threads=2
// property: leak
// about: nobody wants the result
// lines: 16
#include <pthread.h>
#include <stdlib.h>

static void *child(void *unused)
{
    return malloc(4);
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, 0);
    pthread_exit(0);
}
