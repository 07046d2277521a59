// expect: safe
// property: deadlock
// about: P-26: a signal before the wait is lost; spurious wake-ups do not rescue
#include <pthread.h>
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  pthread_mutex_lock(&a);
  while (!ready)
    pthread_cond_wait(&c, &a);
  pthread_mutex_unlock(&a);

  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&a);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
  return 0;
}
