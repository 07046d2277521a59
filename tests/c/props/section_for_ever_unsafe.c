// expect: unsafe threads=2
// property: race
// lines: 11 20
// about: P-19: a section that never ends, on memory that another thread is about to free
#include <pthread.h>
#include <stdlib.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void *child(void *p) {
  __VERIFIER_atomic_begin();
  *(int *)p = 1;
  while (1)
    ;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  int *p = malloc(sizeof *p);
  pthread_create(&t, 0, child, p); free(p);
  pthread_join(t, 0);
  return 0;
}
