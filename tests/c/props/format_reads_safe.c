// expect: safe
// property: race
// about: P-6: printf reads the string of %s
#include <pthread.h>
#include <stdio.h>
char name[2];
void *child(void *arg) {
  printf("%s", "constant");
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  name[0] = 0;
  pthread_join(t, 0);

  return 0;
}
