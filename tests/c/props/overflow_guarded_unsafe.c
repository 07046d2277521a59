// expect: unsafe threads=2
// property: overflow
// about: section 6: another thread makes the operand greater
// lines: 16
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
  int y = x;
  y++;
  pthread_join(t, 0);
  return y == 0;
}
