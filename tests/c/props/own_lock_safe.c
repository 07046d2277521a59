// expect: safe
// property: deadlock
// about: one's own normal mutex again is a deadlock of one thread
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);

  return 0;
}
