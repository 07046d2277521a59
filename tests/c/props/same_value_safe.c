// expect: safe
// property: race
// about: P-15: writing the value that is there already is a race
#include <pthread.h>
int x;
int y;
void *child(void *arg) {
  y = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x = 0;
  pthread_join(t, 0);

  return 0;
}
