// expect: safe
// property: deadlock
// about: two threads that join each other
#include <pthread.h>
pthread_t first, second;
int there;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_mutex_lock(&a);
  pthread_create(&t, 0, child, 0);
  second = t;
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
  return 0;
}
