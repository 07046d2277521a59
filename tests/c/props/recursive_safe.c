// expect: safe
// property: deadlock
// about: P-27: a recursive mutex does not wait for its holder
#include <pthread.h>
pthread_mutex_t a;
pthread_mutexattr_t kind;
void *child(void *arg) {

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&a, &kind);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&a);

  return 0;
}
