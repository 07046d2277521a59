// expect: safe
// property: assert
// about: the list is exact: overflow that is not asked about wraps
#include <assert.h>
#include <limits.h>
int main(void) {
  volatile int i = INT_MAX;
  i++;
  assert(i == INT_MIN);
  return 0;
}
