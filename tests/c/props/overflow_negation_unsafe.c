// expect: unsafe threads=1
// property: overflow
// about: section 6: the negative of the least number, through abs
// lines: 9
#include <limits.h>
#include <stdlib.h>
int main(void) {
  int i = INT_MIN;
  return abs(i) == 0;
}
