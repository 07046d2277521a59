// expect: safe
// property: race
// about: strcpy reads up to the end of its string
#include <pthread.h>
#include <string.h>
char text[8] = "abc";
char copy[8];
void *child(void *arg) {
  strcpy(copy, text);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  text[4] = 'd';
  pthread_join(t, 0);
  return 0;
}
