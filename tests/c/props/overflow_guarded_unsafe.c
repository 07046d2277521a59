// expect: unsafe threads=2
// property: overflow
// about: section 6: another thread makes the operand greater
// lines: 17
#include <limits.h>
#include <pthread.h>
int x;
void *child(void *arg) {
  x = INT_MAX;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  int y = x;
  y++;
  return y == 0;
}
