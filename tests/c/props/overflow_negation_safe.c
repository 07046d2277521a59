// expect: safe
// property: overflow
// about: section 6: the negative of the least number but one
#include <limits.h>
#include <stdlib.h>
int main(void) {
  int i = INT_MIN + 1;
  return abs(i) == 0;
}
