// expect: safe
// property: race
// about: P-10: hidden state of the library is not looked at, what the program passes is
#include <pthread.h>
#include <stdlib.h>
int x;
void *child(void *arg) {
  int y = rand();

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
