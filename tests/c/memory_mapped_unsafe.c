// expect: unsafe threads=1
// ways: concrete
// line: 14
// Memory without a file is zero.
#include <assert.h>
#include <sys/mman.h>
struct cell { int value; struct cell *next; };
int main(void) {
    struct cell *cells = mmap(0, 4 * sizeof *cells, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cells == MAP_FAILED)
        return 1;
    cells[1].value += 2;
    cells[0].next = cells + 1;
    assert(cells->next->value == 0);
    munmap(cells, 4 * sizeof *cells);
    return 0;
}
