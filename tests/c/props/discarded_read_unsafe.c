// expect: unsafe threads=2
// property: race
// about: P-8: a discarded expression reads
// lines: 8 14
#include <pthread.h>
int x;
void *child(void *arg) {
  (void)x;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x = 1;
  pthread_join(t, 0);

  return 0;
}
