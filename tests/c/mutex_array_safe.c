// expect: safe
// Mutexes in an array and in a struct are objects of their own.

#include <assert.h>
#include <pthread.h>

static struct account { pthread_mutex_t lock; int money; } bank[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 5}, {PTHREAD_MUTEX_INITIALIZER, 5}};
static void pay(int which, int amount) {
    pthread_mutex_lock(&bank[which].lock);
    bank[which].money += amount;
    pthread_mutex_unlock(&bank[which].lock);
}
static void *child(void *arg) {
    pay(0, 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pay(0, 2);
    pthread_join(t, 0);
    assert(bank[0].money == 8);
    return 0;
}
