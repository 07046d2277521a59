// expect: unsafe threads=1
// property: overflow
// about: section 6: a sum that does not fit
// lines: 8
#include <limits.h>
int main(void) {
  int i = INT_MAX;
  i = i + 1;
  return i == 0;
}
