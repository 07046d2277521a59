// expect: safe
// property: race
// about: P-6: each thread has the time written to memory of its own
#include <pthread.h>
#include <sys/time.h>
void *child(void *arg) {
  struct timeval now;
  gettimeofday(&now, 0);
  return 0;
}
int main(void) {
  pthread_t t;
  struct timeval now;
  pthread_create(&t, 0, child, 0);
  gettimeofday(&now, 0);
  pthread_join(t, 0);
  return 0;
}
