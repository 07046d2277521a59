// expect: safe
// property: race
// about: P-14: a byte of a word against the word
// open: an access that does not start at a scalar
#include <pthread.h>
int x[2];
void *child(void *arg) {
  ((char *)x)[5] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x[0] = 1;
  pthread_join(t, 0);

  return 0;
}
