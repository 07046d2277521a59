// expect: safe
// property: deadlock
// about: P-22: main joins a thread that waits for a mutex that main holds
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&a);
  pthread_create(&t, 0, child, 0);
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);

  return 0;
}
