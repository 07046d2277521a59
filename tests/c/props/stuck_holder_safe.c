// expect: safe
// property: deadlock
// about: P-24: nobody waits for good because of a thread that is stuck
#include <pthread.h>
void __VERIFIER_assume(int);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  __VERIFIER_assume(0);
  pthread_mutex_unlock(&a);

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
