// expect: unsafe threads=2
// property: leak
// about: two threads set the one pointer, and one allocation is lost
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
    pthread_t one, other;
    pthread_create(&one, 0, child, 0);
    pthread_create(&other, 0, child, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
