// expect: unsafe
// property: deadlock
// about: the same with the locks in two orders
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct answer {
  struct answer *next;
  int value;
};
extern void look_up(int key, struct answer *answer);
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer *first, *logged;

static void *ask(void *unused) {
  pthread_mutex_lock(&table);
  look_up(1, first);
  pthread_mutex_lock(&log_lock);
  logged = first->next;
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_unlock(&table);
  return unused;
}

static void *ask_again(void *unused) {
  pthread_mutex_lock(&log_lock);
  pthread_mutex_lock(&table);
  look_up(2, logged);
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_unlock(&table);
  return unused;
}

int main(void) {
  first = calloc(1, sizeof *first);
  logged = first;
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, __VERIFIER_nondet_int() ? ask : ask_again, 0);
  pthread_exit(0);
}
