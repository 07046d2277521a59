// expect: unsafe threads=2
// property: race
// about: P-2: *expected of a compare-exchange is a plain access
// lines: 10 16
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int expected;
void *child(void *arg) {
  atomic_compare_exchange_strong(&x, &expected, 2);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  expected = 0;
  pthread_join(t, 0);

  return 0;
}
