// expect: unsafe threads=2
// property: race
// about: neighbouring bit-fields are one memory location, `: 0` separates
// lines: 11 17
#include <pthread.h>
struct {
  int a : 4;
  int b : 4;
} s;
void *child(void *arg) {
  s.a = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  s.b = 1;
  pthread_join(t, 0);

  return 0;
}
