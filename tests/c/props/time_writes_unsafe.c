// expect: unsafe threads=2
// property: race
// lines: 8 14
// about: P-6: gettimeofday writes the time
#include <pthread.h>
#include <sys/time.h>
struct timeval now;
void *child(void *arg) { gettimeofday(&now, 0);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  gettimeofday(&now, 0);
  pthread_join(t, 0);
  return 0;
}
