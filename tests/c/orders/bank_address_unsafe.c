// expect: unsafe threads=3
// property: deadlock
// about: any number of transfers; the account that pays is locked first
#include <pthread.h>
#define N 4
extern int __VERIFIER_nondet_int(void);
struct account {
  pthread_mutex_t lock;
  int balance;
};
static struct account accounts[N];

static void transfer(struct account *from, struct account *to, int amount) {
  if (from == to)
    return;
  struct account *first = from;
  struct account *second = to;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *customer(void *unused) {
  int from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
  if (from >= 0 && from < N && to >= 0 && to < N)
    transfer(&accounts[from], &accounts[to], 10);
  return unused;
}

int main(void) {
  pthread_t thread;
  while (1)
    pthread_create(&thread, 0, customer, 0);
}
