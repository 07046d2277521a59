// expect: safe
// property: deadlock
// about: a semaphore that nobody can post
#include <pthread.h>
#include <semaphore.h>
sem_t s;
void *child(void *arg) {
  sem_post(&s);
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
