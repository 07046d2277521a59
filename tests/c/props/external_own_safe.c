// expect: safe
// property: race
// about: P-7: a function that is given no pointers accesses nothing of the program, and what it gives is an object of its own
#include <pthread.h>
struct box {
  int value;
};
extern struct box *fresh(void);
void *child(void *arg) {
  struct box *mine = fresh();
  mine->value = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  struct box *own = fresh();
  pthread_create(&t, 0, child, 0);
  own->value = 2;
  return 0;
}
