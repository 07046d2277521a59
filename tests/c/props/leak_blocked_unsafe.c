// expect: unsafe threads=1
// property: leak
// about: P-31: what was lost before a thread waits for ever is
// lines: 13
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    int *p = malloc(sizeof *p);
    pthread_mutex_lock(&lock);
    p = 0;
    pthread_mutex_lock(&lock);
    return 0;
}
