// expect: safe
// property: race
// about: P-4: threads that ask for their own handle and touch nobody else's
#include <pthread.h>
pthread_t handle;
void *child(void *arg) {
  pthread_t own = pthread_self();
  return pthread_equal(own, own) ? arg : 0;
}
int main(void) {
  pthread_create(&handle, 0, child, 0);
  pthread_join(handle, 0);
  return 0;
}
