// expect: safe
// property: memory
// about: section 5: one past the end may be computed; other undefined behaviour stops the thread
#include <stdlib.h>
int main(void) {
  int a[2], zero = 0;
  int *p = a + 2;
  int q = 1 / zero;
  *p = q;
  return 0;
}
