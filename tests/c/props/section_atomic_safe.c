// expect: safe
// property: race
// about: P-11: a section against an atomic operation does not race
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
atomic_int x;
int y;
void *child(void *arg) {
  __VERIFIER_atomic_begin();
  x = 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  y = x;
  pthread_join(t, 0);

  return 0;
}
