// expect: safe
// property: deadlock
// about: P-25: spinning is not waiting
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#include <stdatomic.h>
atomic_int flag;
void *child(void *arg) {
  while (!flag)
    ;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  return 0;
}
