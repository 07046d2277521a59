// expect: unsafe threads=2
// property: race
// about: P-15: writing the value that is there already is a race
// lines: 9 15
#include <pthread.h>
int x;
int y;
void *child(void *arg) {
  x = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x = 0;
  pthread_join(t, 0);

  return 0;
}
