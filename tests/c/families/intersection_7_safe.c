// expect: safe
// property: deadlock
// about: a car takes the two quarters of the intersection that it crosses in the order of their numbers
#include <pthread.h>
#define N 7
pthread_mutex_t quarter[N];

void *car(void *road) {
  int here = (int)(long)road, ahead = (here + 1) % N;
  int first = here < ahead ? here : ahead;
  int second = here < ahead ? ahead : here;
  pthread_mutex_lock(&quarter[first]);
  pthread_mutex_lock(&quarter[second]);
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
