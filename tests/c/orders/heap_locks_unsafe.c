// expect: unsafe threads=3
// property: deadlock
// about: any number of threads share two allocated locks; some take them the other way round
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair {
  pthread_mutex_t outer, inner;
  int uses;
};

static void *use(void *shared) {
  struct pair *pair = shared;
  pthread_mutex_lock(&pair->outer);
  pthread_mutex_lock(&pair->inner);
  pair->uses++;
  pthread_mutex_unlock(&pair->inner);
  pthread_mutex_unlock(&pair->outer);
  return 0;
}

static void *reset(void *shared) {
  struct pair *pair = shared;
  pthread_mutex_lock(&pair->inner);
  pthread_mutex_lock(&pair->outer);
  pair->uses = 0;
  pthread_mutex_unlock(&pair->outer);
  pthread_mutex_unlock(&pair->inner);
  return 0;
}

int main(void) {
  struct pair *pair = malloc(sizeof *pair);
  pthread_mutex_init(&pair->outer, 0);
  pthread_mutex_init(&pair->inner, 0);
  while (1) {
    pthread_t thread;
    pthread_create(&thread, 0, __VERIFIER_nondet_int() ? use : reset, pair);
  }
}
