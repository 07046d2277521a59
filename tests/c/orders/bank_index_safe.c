// expect: safe
// property: deadlock
// about: any number of transfers; the account with the lower number is locked first
#include <pthread.h>
#define N 4
extern int __VERIFIER_nondet_int(void);
static struct {
  pthread_mutex_t lock;
  int balance;
} account[N];

static void *transfer(void *unused) {
  int from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
  if (from < 0 || from >= N || to < 0 || to >= N || from == to)
    return unused;
  int first = from < to ? from : to, second = from < to ? to : from;
  pthread_mutex_lock(&account[first].lock);
  pthread_mutex_lock(&account[second].lock);
  account[from].balance -= 10;
  account[to].balance += 10;
  pthread_mutex_unlock(&account[first].lock);
  pthread_mutex_unlock(&account[second].lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, transfer, 0);
  return 0;
}
