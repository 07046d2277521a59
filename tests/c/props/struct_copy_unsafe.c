// expect: unsafe threads=2
// property: race
// lines: 10 16
// about: a copy of a structure reads each of its members
#include <pthread.h>
struct pair {
  char first;
  int second;
} a, b;
void *child(void *arg) { a = b;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  b.second = 1;
  pthread_join(t, 0);
  return 0;
}
