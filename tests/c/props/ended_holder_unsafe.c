// expect: unsafe threads=1
// property: deadlock
// about: P-23: a mutex whose holder has ended
// lines: 16
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);

  return 0;
}
