// expect: safe
// property: deadlock
// about: a transfer locks the account with the lower address first
// open: more states than can be searched
#include <pthread.h>
#define N 7
struct account {
  pthread_mutex_t lock;
  int balance;
} accounts[N];

void transfer(struct account *from, struct account *to, int amount) {
  struct account *first = from < to ? from : to;
  struct account *second = from < to ? to : from;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

void *customer(void *number) {
  int i = (int)(long)number;
  transfer(&accounts[i], &accounts[(i + 1) % N], 10);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
    pthread_mutex_init(&accounts[i].lock, 0);
    accounts[i].balance = 100;
  }
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, customer, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
