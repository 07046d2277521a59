// expect: unsafe threads=1
// property: assert
// about: the list is exact: overflow that is not asked about wraps
// lines: 9
#include <assert.h>
int main(void) {
  volatile int i = 2147483647;
  i++;
  assert(i > 0);
  return 0;
}
