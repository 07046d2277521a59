// expect: unsafe threads=2
// property: race
// about: P-14: atomic operations on bytes that overlap but are not the same
// lines: 8 14
#include <pthread.h>
long x;
void *child(void *arg) {
  __atomic_store_n((char *)&x, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  __atomic_store_n(&x, 2, __ATOMIC_SEQ_CST);
  pthread_join(t, 0);

  return 0;
}
