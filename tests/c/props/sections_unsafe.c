// expect: unsafe threads=2
// property: race
// about: P-11: sections do not race with each other, a section races with a plain access
// lines: 11 18
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;
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
