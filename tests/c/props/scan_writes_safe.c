// expect: safe
// property: race
// about: P-6: scanf writes what its arguments point to, here after the join
#include <pthread.h>
#include <stdio.h>
int x;
void *child(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  scanf("%d", &x);
  return 0;
}
