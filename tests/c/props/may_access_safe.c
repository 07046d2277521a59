// expect: safe
// property: race
// about: P-7: what an external function may access after the join
#include <pthread.h>
extern void external(int *);
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  external(&x);
  return 0;
}
