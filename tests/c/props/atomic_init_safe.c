// expect: safe
// property: race
// about: P-2: atomic_init is a plain write
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *child(void *arg) {
  int y = x;
  return 0;
}
int main(void) {
  pthread_t t;
  atomic_init(&x, 1);
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);

  return 0;
}
