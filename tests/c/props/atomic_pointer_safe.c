// expect: safe
// property: race
// about: P-1: a plain object behind a pointer to an atomic type
#include <pthread.h>
#include <stdatomic.h>
int x;
void *child(void *arg) {
  *(_Atomic int *)&x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int y = *(_Atomic int *)&x;
  pthread_join(t, 0);

  return 0;
}
