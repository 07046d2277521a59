// expect: unsafe threads=2
// property: race
// about: P-10: hidden state of the library is not looked at, what the program passes is
// lines: 10 18
#include <pthread.h>
#include <stdlib.h>
int x;
void *child(void *arg) {
  int y = rand();
  y = x;

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int z = rand();
  x = 1;
  pthread_join(t, 0);

  return 0;
}
