// expect: unsafe threads=1
// ways: concrete
// line: 19
// An array grows: what was in it stays, the old object ends.
#include <assert.h>
#include <stdlib.h>
static int *items, count, room;
static void add(int item) {
    if (count == room) {
        room = room ? room * 2 : 1;
        items = realloc(items, room * sizeof *items);
    }
    items[count++] = item;
}
int main(void) {
    for (int i = 0; i < 5; i++)
        add(i * i);
    assert(room == 8);
    assert(items[3] == 8);
    free(items);
    return 0;
}
