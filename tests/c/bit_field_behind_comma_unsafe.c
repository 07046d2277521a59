// expect: unsafe threads=1
// line: 14
// A bit-field behind a comma is promoted to int, as without the comma.

#include <assert.h>

struct narrow {
    unsigned part : 5;
};

int main(void) {
    struct narrow value = {3};
    assert(-(0, value.part) == -3LL);
    assert((0, value.part) - 4 > 0);
    return 0;
}
