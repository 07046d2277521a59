// expect: safe
// property: race
// about: P-6: read writes no more bytes than it is told
#include <pthread.h>
#include <unistd.h>
char text[4];
void *child(void *arg) {
  read(0, text, 2);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  text[2] = 'a';
  pthread_join(t, 0);
  return 0;
}
