// expect: unsafe threads=1
// property: abort
// about: head: exit with a code other than 0
// lines: 8
#include <stdlib.h>
int main(void) {
  int n = 3;
  exit(n);
}
