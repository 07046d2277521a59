// expect: safe
// property: race
// about: P-14: overlap is by bytes, not by objects
#include <pthread.h>
char x[4];
void *child(void *arg) {
  x[0] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x[1] = 1;
  pthread_join(t, 0);

  return 0;
}
