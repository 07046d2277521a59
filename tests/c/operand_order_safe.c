// expect: safe
// The place of an assignment is worked out before its value, for structs as for numbers; what is read stays read.

#include <assert.h>

struct pair { int first, second; };
static struct pair table[2];
static int bump(int *number) { return ++*number; }
int main(void) {
    int i = 0, k = 2, row[3] = { 0, 0, 0 };
    struct pair one = { 1, 2 };
    table[i] = (i = 1, one);
    assert(table[0].second == 2 && table[1].second == 0);
    row[k] = (k = 0, 7);
    assert(row[2] == 7 && row[0] == 0);
    int *at = row;
    *at++ = (int)(at - row);
    assert(row[0] == 1 && at == row + 1);
    int sum = k + (k = 5) + k;
    assert(sum == 10);
    int old = i;
    i += bump(&i);
    assert(i == old + old + 1);
    int *from = row;
    from += (from = row + 1, 1);
    assert(from == row + 1);
    return 0;
}
