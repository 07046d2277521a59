// expect: unsafe threads=2
// property: race
// about: P-1: what is atomic is the type of the accessed lvalue
// lines: 10 16
#include <pthread.h>
#include <stdatomic.h>
_Atomic int x;
int *p = (int *)&x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int y = *p;
  pthread_join(t, 0);

  return 0;
}
