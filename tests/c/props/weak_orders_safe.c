// expect: safe
// property: race
// about: P-12: relaxed operations count as sequentially consistent; plain ones do not synchronise
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int flag;
void *child(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t;
  int seen;
  pthread_create(&t, 0, child, 0);
  seen = atomic_load_explicit(&flag, memory_order_relaxed);
  if (seen)
    data = 2;
  pthread_join(t, 0);

  return 0;
}
