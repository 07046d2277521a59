// expect: unsafe threads=2
// property: race
// about: P-5: free is a write of the whole allocation
// lines: 9 16
#include <pthread.h>
#include <stdlib.h>
int *p;
void *child(void *arg) {
  *p = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof *p);
  pthread_create(&t, 0, child, 0);
  free(p);
  pthread_join(t, 0);

  return 0;
}
