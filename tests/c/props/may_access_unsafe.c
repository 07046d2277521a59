// expect: unsafe threads=2
// property: race
// lines: 9 16
// about: P-7: what an external function may access is no evidence, what the program accesses is
#include <pthread.h>
extern void external(int *);
int x, y;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  external(&y);
  x = 2;
  pthread_join(t, 0);
  return 0;
}
