// expect: unsafe threads=2
// property: race
// about: P-4: the handle is stored after the thread exists, also where threads ask for their own
// lines: 7 12
#include <pthread.h>
pthread_t handle;
void *child(void *arg) { handle = pthread_self();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&handle, 0, child, 0);
  return 0;
}
