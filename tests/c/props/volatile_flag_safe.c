// expect: safe
// property: race
// about: P-9: volatile is plain
#include <pthread.h>
#include <stdatomic.h>
_Atomic int flag;
void *child(void *arg) {
  flag = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  int y = flag;
  pthread_join(t, 0);

  return 0;
}
