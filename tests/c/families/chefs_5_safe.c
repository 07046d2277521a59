// expect: safe
// property: deadlock
// about: every chef takes appliances in the order of the kitchen; an appliance is a lock
#include <pthread.h>
#define N 5
#define APPLIANCES 3
pthread_mutex_t appliance[APPLIANCES];
int meals;

void *chef(void *number) {
  int i = (int)(long)number;
  int one = i % APPLIANCES, other = (i + 1) % APPLIANCES;
  int first = one < other ? one : other;
  int second = one < other ? other : one;
  pthread_mutex_lock(&appliance[first]);
  pthread_mutex_lock(&appliance[second]);
  meals += i;
  pthread_mutex_unlock(&appliance[second]);
  pthread_mutex_unlock(&appliance[first]);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < APPLIANCES; i++)
    pthread_mutex_init(&appliance[i], 0);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, chef, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
