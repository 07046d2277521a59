// expect: unsafe threads=2
// property: deadlock
// about: P-29: nobody helps a thread that waits inside a section
// lines: 11 18
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  __VERIFIER_atomic_begin();
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  __VERIFIER_atomic_end();
  pthread_join(t, 0);

  return 0;
}
