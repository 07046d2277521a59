// expect: safe
// property: race
// about: two reads never race, two writes do
#include <pthread.h>
int x, y;
void *child(void *arg) {
  y = x;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int z = x;
  pthread_join(t, 0);

  return 0;
}
