// expect: unsafe threads=2
// property: race
// about: __atomic and __sync operations synchronise, a plain read of the same object does not
// lines: 8 14
#include <pthread.h>
int x;
void *child(void *arg) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int y = x;
  pthread_join(t, 0);

  return 0;
}
