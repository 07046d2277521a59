// expect: unsafe threads=1
// property: overflow
// about: section 6: the least number divided by -1
// lines: 8
#include <limits.h>
int main(void) {
  int i = INT_MIN, by = -1;
  i /= by;
  return i == 0;
}
