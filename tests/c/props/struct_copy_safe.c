// expect: safe
// property: race
// about: a copy of a structure does not access its padding
#include <pthread.h>
struct pair {
  char first;
  int second;
} a, b;
void *child(void *arg) {
  a = b;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  struct pair c = b;
  pthread_join(t, 0);
  return c.first;
}
