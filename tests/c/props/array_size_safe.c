// expect: safe
// property: race
// about: P-8: the size of a variable-length array is read where it is declared
#include <pthread.h>
int n = 1;
void *child(void *arg) {
  char a[1];
  a[0] = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  n = 2;
  pthread_join(t, 0);

  return 0;
}
