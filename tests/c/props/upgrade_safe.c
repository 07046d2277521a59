// expect: safe
// property: deadlock
// about: P-28: a reader that wants to write waits for itself
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *child(void *arg) {

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_trywrlock(&l);
  pthread_rwlock_unlock(&l);
  return 0;
}
