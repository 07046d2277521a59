// expect: safe
// property: race
// about: P-5: the end of a block ends its objects
#include <pthread.h>
int *p;
void *child(void *arg);
void helper(pthread_t *t) {
  int local = 0;
  p = &local;
  pthread_create(t, 0, child, 0);
  pthread_join(*t, 0);
}
void *child(void *arg) {
  *p = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  helper(&t);

  return 0;
}
