// expect: safe
// property: race,assert
// about: P-13: without data races, threads take turns: the assertion holds on every machine
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data, flag;
void *child(void *arg) {
  pthread_mutex_lock(&m);
  data = 1;
  flag = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&m);
  if (flag)
    assert(data);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
