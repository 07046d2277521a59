// expect: unsafe threads=3
// property: deadlock
// about: two threads wait for each other while main goes on
// lines: 11 16
#include <pthread.h>
void __VERIFIER_assume(int);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *child(void *arg) {
  if (arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
  } else {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_t u;
  int x = 0;
  pthread_create(&t, 0, child, 0);
  pthread_create(&u, 0, child, &x);
  for (;;)
    x = !x;
  return 0;
}
