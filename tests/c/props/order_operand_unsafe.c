// expect: unsafe threads=2
// property: race
// about: P-2: the operand that says the memory order is a plain access
// lines: 10 17
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int order = memory_order_seq_cst;
void *child(void *arg) {
  order = memory_order_seq_cst;
  return 0;
}
int main(void) {
  pthread_t t;
  int here = memory_order_seq_cst;
  pthread_create(&t, 0, child, 0);
  __atomic_store_n((int *)&x, 1, order);
  pthread_join(t, 0);

  return 0;
}
