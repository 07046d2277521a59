// expect: safe
// property: race
// about: P-18: a thread that is created in a section accesses nothing before the section ends
// open: a thread that is created inside an atomic section
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  __VERIFIER_atomic_begin();
  pthread_create(&t, 0, child, 0);
  x = 2;
  __VERIFIER_atomic_end();
  pthread_join(t, 0);

  return 0;
}
