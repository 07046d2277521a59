// expect: safe
// property: abort
// about: head: exit with code 0, and an assertion that is not asked about ends the program
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int n = 0;
  assert(n == 0);
  exit(n);
}
