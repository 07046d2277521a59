// expect: safe
// property: race
// about: P-11: an access that a section comes to after another step
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;
void *child(void *arg) {
  __VERIFIER_atomic_begin();
  y = 1;
  x = 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  __VERIFIER_atomic_begin();
  int z = x;
  __VERIFIER_atomic_end();
  pthread_join(t, 0);

  return 0;
}
