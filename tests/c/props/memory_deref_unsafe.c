// expect: unsafe threads=1
// property: memory
// about: section 5: use after free
// lines: 8
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  free(p); *p = 1;
  return 0;
}
