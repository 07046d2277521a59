// expect: unsafe threads=2
// property: race
// about: P-2: atomic_init is a plain write
// lines: 9 15
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *child(void *arg) {
  int y = x;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  atomic_init(&x, 1);
  pthread_join(t, 0);

  return 0;
}
