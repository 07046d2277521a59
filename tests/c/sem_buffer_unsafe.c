// expect: unsafe threads=2
// line: 25
// A buffer of one place between a producer and a consumer.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t empty, full;
static unsigned char place;
static void *producer(void *arg) {
    for (unsigned char i = 1; i <= 2; i++) {
        place = i;
        sem_post(&full);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&t, 0, producer, 0);
    for (unsigned char i = 1; i <= 2; i++) {
        sem_wait(&full);
        assert(place == i);
        sem_post(&empty);
    }
    pthread_join(t, 0);
    return 0;
}
