// Two workers count what they have done; one of them forgets the lock.
#include <pthread.h>

struct account {
    int balance;
    int withdrawals;
};

static struct account shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *amount)
{
    pthread_mutex_lock(&lock);
    shared.balance += 10;
    pthread_mutex_unlock(&lock);
    return amount;
}

static void *withdraw(void *amount)
{
    if (shared.balance >= 10) {
        pthread_mutex_lock(&lock);
        shared.balance -= 10;
        shared.withdrawals++;
        pthread_mutex_unlock(&lock);
    }
    return amount;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, deposit, 0);
    pthread_create(&second, 0, withdraw, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
