// expect: safe
// property: deadlock
// about: any number of philosophers; each takes the lower fork first
#include <pthread.h>
#define N 5
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t fork_of[N];

static void *philosopher(void *unused) {
  int left = __VERIFIER_nondet_int();
  if (left < 0 || left >= N)
    return unused;
  int right = (left + 1) % N;
  int first = left < right ? left : right, second = left < right ? right : left;
  pthread_mutex_lock(&fork_of[first]);
  pthread_mutex_lock(&fork_of[second]);
  pthread_mutex_unlock(&fork_of[second]);
  pthread_mutex_unlock(&fork_of[first]);
  return unused;
}

int main(void) {
  pthread_t thread;
  while (1)
    pthread_create(&thread, 0, philosopher, 0);
}
