// expect: unsafe threads=3
// property: race
// about: each thread has the element whose number it drew, or the first one
// lines: 19
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[100], next;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int mine = next;
    if (mine < 100)
        next = mine + 1;
    pthread_mutex_unlock(&lock);
    if (mine < 100)
        cells[mine > 1 ? mine : 0] = mine;
    return 0;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, worker, 0);
}
