// expect: safe
// property: deadlock
// about: P-20: waiting with a time limit is not waiting
#include <pthread.h>
#include <time.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&a);
  struct timespec soon = {0, 0};
  pthread_mutex_timedlock(&a, &soon);
  pthread_mutex_unlock(&a);

  return 0;
}
