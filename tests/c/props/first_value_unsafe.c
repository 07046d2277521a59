// expect: unsafe threads=2
// property: race
// lines: 9 16
// about: a value that is stored after the address was given away is an access
#include <pthread.h>
#include <stdlib.h>
int *shared;
void *child(void *arg) {
  return *shared ? arg : 0;
}
int main(void) {
  pthread_t t;
  int *p = calloc(1, sizeof *p);
  shared = p;
  pthread_create(&t, 0, child, 0);
  *p = 1;
  pthread_join(t, 0);
  return 0;
}
