// expect: safe
// property: race
// open: what an external function may access while other threads run
// about: P-7: what an external function may access is no evidence, and there is no proof that it does not
#include <pthread.h>
extern void external(const int *);
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  external(&x);
  pthread_join(t, 0);
  return 0;
}
