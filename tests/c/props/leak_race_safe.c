// expect: safe
// property: leak
// about: only the first thread sets the pointer, the other one frees what it has
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *kept;
static void *child(void *unused)
{
    int *mine = malloc(sizeof *mine);
    pthread_mutex_lock(&lock);
    if (!kept)
        kept = mine;
    else
        free(mine);
    pthread_mutex_unlock(&lock);
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
