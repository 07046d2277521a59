// expect: unsafe threads=2
// property: race
// about: a compare-exchange that must fail is a read, one that succeeds writes
// lines: 11 17
#include <pthread.h>
#include <stdatomic.h>
int x;
int expected = 1;
void *child(void *arg) {
  
  __sync_val_compare_and_swap(&x, 0, 2);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int y = x;
  pthread_join(t, 0);

  return 0;
}
