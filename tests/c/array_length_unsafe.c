// expect: unsafe threads=1
// ways: concrete
// line: 13
// The length of an array in a condition is worked out each time.

#include <assert.h>

int main(void) {
    int length = 0;
    do
        length++;
    while (sizeof(char[length]) < 4);
    assert(length != 4);
    return 0;
}
