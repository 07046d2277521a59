// expect: safe
// property: race
// about: P-17: the return of main is no access
#include <pthread.h>
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  return 0;
}
