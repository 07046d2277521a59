// expect: safe
// property: memory
// about: nobody asks the clock again, so that no time decides anything
#include <stdlib.h>
#include <time.h>

int main(void) {
  srand((unsigned)time(0));
  int *cells = malloc(4 * sizeof *cells);
  for (int i = 0; i < 4; i++)
    cells[i] = i;
  int sum = cells[0] + cells[3];
  free(cells);
  return sum;
}
