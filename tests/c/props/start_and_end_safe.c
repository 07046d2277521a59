// expect: safe
// property: race
// about: P-16: accesses before the first creation and after the last join do not race
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
  pthread_join(t, 0);
  x = 3;

  return 0;
}
