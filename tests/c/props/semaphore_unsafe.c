// expect: unsafe threads=2
// property: deadlock
// about: a semaphore that nobody can post
// lines: 9 16
#include <pthread.h>
#include <semaphore.h>
sem_t s;
void *child(void *arg) {
  sem_wait(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, child, 0);
  sem_wait(&s);
  pthread_join(t, 0);

  return 0;
}
