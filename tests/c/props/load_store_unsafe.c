// expect: unsafe threads=2
// property: race
// about: a load against a store; a mutex keeps them apart
// lines: 9 15
#include <pthread.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  y = x;
  pthread_join(t, 0);

  return 0;
}
