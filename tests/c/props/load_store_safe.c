// expect: safe
// property: race
// about: a load against a store; a mutex keeps them apart
#include <pthread.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&m);
  y = x;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);

  return 0;
}
