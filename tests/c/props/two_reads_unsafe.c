// expect: unsafe threads=2
// property: race
// about: two reads never race, two writes do
// lines: 8 14
#include <pthread.h>
int x, y;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x = 1;
  pthread_join(t, 0);

  return 0;
}
