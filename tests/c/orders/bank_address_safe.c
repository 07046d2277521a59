// expect: safe
// property: deadlock
// about: any number of transfers between allocated accounts; the account at the lower address is locked first
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct account {
  pthread_mutex_t lock;
  int balance;
};
static struct account *giver, *taker;

static void transfer(struct account *from, struct account *to) {
  struct account *first = (uintptr_t)from < (uintptr_t)to ? from : to, *second = first == from ? to : from;
  if (first == second)
    return;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= 10;
  to->balance += 10;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *pay(void *unused) {
  transfer(giver, taker);
  return unused;
}

static void *pay_back(void *unused) {
  transfer(taker, giver);
  return unused;
}

int main(void) {
  giver = malloc(sizeof *giver);
  taker = malloc(sizeof *taker);
  pthread_mutex_init(&giver->lock, 0);
  pthread_mutex_init(&taker->lock, 0);
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, __VERIFIER_nondet_int() ? pay : pay_back, 0);
  pthread_exit(0);
}
