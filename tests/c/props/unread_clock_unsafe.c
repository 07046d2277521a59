// expect: unsafe threads=1
// property: memory
// about: the same, and a cell is read after it was freed
#include <stdlib.h>
#include <time.h>

int main(void) {
  srand((unsigned)time(0));
  int *cells = malloc(4 * sizeof *cells);
  for (int i = 0; i < 4; i++)
    cells[i] = i;
  free(cells);
  int sum = cells[0] + cells[3];
  return sum;
}
