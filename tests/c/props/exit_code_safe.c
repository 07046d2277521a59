// expect: safe
// property: assert
// about: head: exit with a code other than 0 is no error unless it is asked about
#include <stdlib.h>
#include <assert.h>
int main(void) {
  int n = 3;
  exit(n);
  assert(0);
}
