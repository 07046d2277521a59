// expect: safe
// property: deadlock
// about: every chef takes appliances in the order of the kitchen
// open: more states than can be searched
#include <pthread.h>
#define N 7
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
  int one = i % APPLIANCES, other = (i + 1) % APPLIANCES;
  int first = one < other ? one : other;
  int second = one < other ? other : one;
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
