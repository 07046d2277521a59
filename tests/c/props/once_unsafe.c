// expect: unsafe threads=2
// property: deadlock
// about: the function of pthread_once waits for a mutex of a thread that waits for it
// lines: 9 20
#include <pthread.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void start(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
void *child(void *arg) {
  pthread_once(&o, start);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&a);
  pthread_once(&o, start);
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
  return 0;
}
