// expect: safe
// ways: abstract
// What is in stock and what is still to come together never overflow.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int stock;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *unused)
{
    int batch = __VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    stock = 0;
    while (batch > 0) {
        stock++;
        batch--;
    }
    assert(stock >= 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, fill, 0);
}
