// expect: unsafe threads=2
// property: race,assert
// lines: 9 16
// about: P-13: the assertion holds if threads take turns, which racy ones need not
#include <assert.h>
#include <pthread.h>
int data, flag;
void *child(void *arg) {
  data = 1;
  flag = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int seen = data;
  assert(seen == 0 || seen == 1);
  pthread_join(t, 0);
  return 0;
}
