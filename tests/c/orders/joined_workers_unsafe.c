// expect: unsafe threads=2
// property: deadlock
// about: any number of workers, who take a lock that is held while they are joined
#include <pthread.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  sum++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 1000)
    return 0;
  pthread_t *threads = malloc(n * sizeof *threads);
  for (unsigned i = 0; i < n; i++)
    pthread_create(&threads[i], 0, worker, 0);
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < n; i++)
    pthread_join(threads[i], 0);
  pthread_mutex_unlock(&lock);
  free(threads);
  return 0;
}
