// expect: unsafe threads=2
// property: race
// about: P-16: accesses before the first creation and after the last join do not race
// lines: 8 15
#include <pthread.h>
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  x = 2;
  pthread_create(&t, 0, child, 0);
  x = 3;
  pthread_join(t, 0);

  return 0;
}
