// expect: unsafe threads=2
// property: race
// lines: 8 14
// about: P-6: read writes its buffer
#include <pthread.h>
#include <unistd.h>
char text[4];
void *child(void *arg) { read(0, text, 2);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  text[1] = 'a';
  pthread_join(t, 0);
  return 0;
}
