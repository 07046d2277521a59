// expect: unsafe threads=2
// property: leak
// about: a thread forgets its argument
// lines: 10
#include <pthread.h>
#include <stdlib.h>

static void *child(void *cell)
{
    cell = 0;
    return cell;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, malloc(4));
    pthread_join(thread, 0);
    return 0;
}
