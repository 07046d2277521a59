// expect: safe
// property: leak
// about: P-31: a thread that waits for ever keeps what it has
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    int *p = malloc(sizeof *p);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    p = 0;
    return 0;
}
