// expect: unsafe threads=2
// property: race
// about: P-12: relaxed operations count as sequentially consistent; plain ones do not synchronise
// lines: 11 18
#include <pthread.h>
#include <stdatomic.h>
int data;
int flag;
void *child(void *arg) {
  data = 1;
  flag = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  int seen;
  pthread_create(&t, 0, child, 0);
  seen = flag;
  if (seen)
    data = 2;
  pthread_join(t, 0);

  return 0;
}
