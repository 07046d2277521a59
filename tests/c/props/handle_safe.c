// expect: safe
// property: race
// about: P-4: the handle is stored after the thread exists
// open: a thread that is created inside an atomic section
#include <pthread.h>
pthread_t handle;
pthread_t seen;
void *child(void *arg) {
  seen = pthread_self();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&handle, 0, child, 0);
  pthread_join(handle, 0);
  return 0;
}
