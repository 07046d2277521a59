// expect: unsafe threads=2
// property: race
// lines: 8 14
// about: memset writes its bytes
#include <pthread.h>
#include <string.h>
int x[4];
void *child(void *arg) { memset(&x[1], 0, 2 * sizeof *x);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x[1] = 1;
  pthread_join(t, 0);
  return 0;
}
