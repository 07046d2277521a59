// expect: safe
// property: deadlock
// about: readers do not keep each other waiting, writers do
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_unlock(&l);
  pthread_mutex_unlock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_rwlock_rdlock(&l);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_rwlock_unlock(&l);
  pthread_join(t, 0);

  return 0;
}
