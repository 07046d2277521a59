// expect: safe
// property: deadlock
// about: a barrier at which too few arrive
#include <pthread.h>
pthread_barrier_t r;
void *child(void *arg) {
  pthread_barrier_wait(&r);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&r, 0, 2);
  pthread_create(&t, 0, child, 0);
  pthread_barrier_wait(&r);
  pthread_join(t, 0);

  return 0;
}
