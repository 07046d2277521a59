// expect: unsafe threads=1
// property: memory
// about: section 5: freed twice
// lines: 9
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  free(p);
  free(p);
  return 0;
}
