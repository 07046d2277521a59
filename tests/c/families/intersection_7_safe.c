// expect: safe
// property: deadlock
// about: a car enters the intersection only with permission, which all but one may have
// open: more states than can be searched
#include <pthread.h>
#include <semaphore.h>
#define N 7
pthread_mutex_t quarter[N];
sem_t permission;

void *car(void *road) {
  int here = (int)(long)road, ahead = (here + 1) % N;
  sem_wait(&permission);
  pthread_mutex_lock(&quarter[here]);
  pthread_mutex_lock(&quarter[ahead]);
  pthread_mutex_unlock(&quarter[here]);
  pthread_mutex_unlock(&quarter[ahead]);
  sem_post(&permission);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  sem_init(&permission, 0, N - 1);
  for (int i = 0; i < N; i++)
    pthread_mutex_init(&quarter[i], 0);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, car, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
