// expect: safe
// property: race
// about: P-5: free is a write of the whole allocation
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
  pthread_join(t, 0);
  free(p);

  return 0;
}
