// expect: safe
// property: race
// about: P-3: initialising a mutex is a plain write of it
#include <pthread.h>
pthread_mutex_t m;
void *child(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_init(&m, 0);
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);

  return 0;
}
