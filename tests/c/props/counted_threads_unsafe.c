// expect: unsafe threads=2
// property: race
// about: accesses after all threads but one have counted themselves out
// lines: 15 40
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER, alive_lock = PTHREAD_MUTEX_INITIALIZER;
static int data, alive;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&data_lock);
    data++;
    pthread_mutex_unlock(&data_lock);
    pthread_mutex_lock(&alive_lock);
    alive--;
    pthread_mutex_unlock(&alive_lock);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    for (int i = 0; i < argc; i++) {
        pthread_mutex_lock(&alive_lock);
        alive++;
        pthread_mutex_unlock(&alive_lock);
        pthread_create(&thread, 0, worker, 0);
    }
    for (;;) {
        pthread_mutex_lock(&alive_lock);
        int left = alive;
        pthread_mutex_unlock(&alive_lock);
        if (left <= 1)
            break;
    }
    return data;
}
