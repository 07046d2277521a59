// expect: unsafe threads=2
// property: race
// about: P-17: return x reads x before it ends the program
// lines: 8 14
#include <pthread.h>
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  return x;
}
