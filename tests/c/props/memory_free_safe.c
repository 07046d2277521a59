// expect: safe
// property: memory
// about: section 5: null may be freed, and assertions are not asked about
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = 0;
  free(p);
  assert(p);
  return 0;
}
