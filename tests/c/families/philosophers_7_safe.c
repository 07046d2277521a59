// expect: safe
// property: deadlock
// about: every philosopher takes the lower fork first
// open: more states than can be searched
#include <pthread.h>
#define N 7
pthread_mutex_t fork_of[N];

void *philosopher(void *seat) {
  int i = (int)(long)seat;
  int left = i, right = (i + 1) % N;
  int first = left < right ? left : right;
  int second = left < right ? right : left;
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
