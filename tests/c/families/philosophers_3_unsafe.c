// expect: unsafe threads=4
// property: deadlock
// about: every philosopher takes the left fork first
#include <pthread.h>
#define N 3
pthread_mutex_t fork_of[N];

void *philosopher(void *seat) {
  int i = (int)(long)seat;
  int first = i, second = (i + 1) % N;
  pthread_mutex_lock(&fork_of[first]);
  pthread_mutex_lock(&fork_of[second]);
  pthread_mutex_unlock(&fork_of[second]);
  pthread_mutex_unlock(&fork_of[first]);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_mutex_init(&fork_of[i], 0);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, philosopher, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
