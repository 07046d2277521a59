// expect: unsafe threads=2
// property: race
// about: P-7: what the program shares itself is shared, wherever it comes from
// lines: 13 21
#include <pthread.h>
struct box {
  int value;
};
extern struct box *fresh(void);
struct box own, *shared;
void *child(void *arg) {
  struct box *mine = fresh();
  shared->value = mine ? 1 : 2;
  return 0;
}
int main(void) {
  pthread_t t;
  fresh();
  shared = &own;
  pthread_create(&t, 0, child, 0);
  shared->value = 3;
  return 0;
}
