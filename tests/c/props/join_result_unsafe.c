// expect: unsafe threads=2
// property: race
// lines: 8 16
// about: the store of the result is a plain access, of which a third thread knows nothing
#include <pthread.h>
void *result;
void *other(void *arg) {
  return result;
}
void *child(void *arg) {
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, child, 0); pthread_create(&u, 0, other, 0);
  pthread_join(t, &result);
  pthread_join(u, 0);
  return 0;
}
