// expect: unsafe threads=2
// property: race
// lines: 9 15
// about: strcpy reads its string with the end of it
#include <pthread.h>
#include <string.h>
char text[8] = "abc";
char copy[8];
void *child(void *arg) { strcpy(copy, text);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  text[3] = 'd';
  pthread_join(t, 0);
  return 0;
}
