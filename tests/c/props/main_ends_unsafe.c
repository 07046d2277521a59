// expect: unsafe threads=2
// property: deadlock
// about: P-22: a state in which main has returned is no deadlock, one before is
// lines: 10
#include <pthread.h>
int ready;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&a);
  pthread_create(&t, 0, child, 0);
  pthread_mutex_unlock(&a);

  return 0;
}
