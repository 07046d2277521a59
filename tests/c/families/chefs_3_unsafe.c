// expect: unsafe threads=4
// property: deadlock
// about: every chef takes an appliance, then waits for the next one
#include <pthread.h>
#define N 3
#define APPLIANCES 3
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
int taken[APPLIANCES];

void take(int appliance) {
  pthread_mutex_lock(&lock);
  while (taken[appliance])
    pthread_cond_wait(&returned, &lock);
  taken[appliance] = 1;
  pthread_mutex_unlock(&lock);
}

void give_back(int appliance) {
  pthread_mutex_lock(&lock);
  taken[appliance] = 0;
  pthread_cond_broadcast(&returned);
  pthread_mutex_unlock(&lock);
}

void *chef(void *number) {
  int i = (int)(long)number;
  int first = i % APPLIANCES, second = (i + 1) % APPLIANCES;
  take(first);
  take(second);
  give_back(second);
  give_back(first);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, chef, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
