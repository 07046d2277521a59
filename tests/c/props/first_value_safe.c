// expect: safe
// property: race
// about: making an object and giving it its first value is no access
#include <pthread.h>
#include <stdlib.h>
void *child(void *arg) {
  int local = 1;
  int *p = calloc(1, sizeof *p);
  local += *p;
  free(p);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int local = 2;
  int *p = calloc(1, sizeof *p);
  local += *p;
  free(p);
  pthread_join(t, 0);
  return 0;
}
