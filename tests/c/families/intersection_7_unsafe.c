// expect: unsafe threads=8
// property: deadlock
// about: cars enter the intersection quarter by quarter
#include <pthread.h>
#define N 7
pthread_mutex_t quarter[N];

void *car(void *road) {
  int here = (int)(long)road, ahead = (here + 1) % N;
  pthread_mutex_lock(&quarter[here]);
  pthread_mutex_lock(&quarter[ahead]);
  pthread_mutex_unlock(&quarter[here]);
  pthread_mutex_unlock(&quarter[ahead]);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_mutex_init(&quarter[i], 0);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, car, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
