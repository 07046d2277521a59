// expect: unsafe threads=2
// property: race
// about: P-14: a byte of a word against the word
// lines: 8 14
#include <pthread.h>
int x[2];
void *child(void *arg) {
  ((char *)x)[5] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  x[1] = 1;
  pthread_join(t, 0);

  return 0;
}
