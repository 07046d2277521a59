// expect: unsafe threads=2
// property: race
// lines: 8 14
// about: P-6: scanf writes what its arguments point to
#include <pthread.h>
#include <stdio.h>
int x;
void *child(void *arg) { x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  scanf("%d", &x);
  pthread_join(t, 0);
  return 0;
}
