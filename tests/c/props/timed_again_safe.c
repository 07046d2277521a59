// expect: safe
// property: deadlock
// about: a sleeper takes its mutex again while it holds one that comes before it (P-20)
#include <pthread.h>
#include <time.h>
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *unused) {
  struct timespec end = {0, 0};
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  pthread_cond_timedwait(&news, &inner, &end);
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, sleeper, 0);
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  pthread_join(thread, 0);
  return 0;
}
