// expect: safe
// property: race
// about: P-19: a section that never ends, on memory that nobody frees
#include <pthread.h>
#include <stdlib.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
void *child(void *p) {
  __VERIFIER_atomic_begin();
  *(int *)p = 1;
  __VERIFIER_assume(0);
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  pthread_create(&t, 0, child, p);
  free(q);
  pthread_join(t, 0);
  return 0;
}
