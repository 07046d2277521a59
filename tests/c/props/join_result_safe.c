// expect: safe
// property: race
// about: the result is stored after the thread has ended, so that nobody else is there to write it
#include <pthread.h>
void *result;
void *child(void *arg) {
  result = &result;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, &result);
  return 0;
}
