// expect: safe
// property: deadlock
// about: whoever comes second waits for the function of pthread_once, which ends
// open: threads that wait for the function of pthread_once
#include <pthread.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
int x;
void start(void) {
  x = 1;
}
void *child(void *arg) {
  pthread_once(&o, start);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_once(&o, start);
  pthread_join(t, 0);
  return 0;
}
