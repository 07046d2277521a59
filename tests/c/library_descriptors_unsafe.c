// expect: unsafe threads=1
// line: 13
// A closed descriptor is given again.
#include <assert.h>
#include <unistd.h>
int main(void) {
    int first = dup(0);
    if (first < 0)
        return 0;
    close(first);
    int second = dup(0);
    if (second >= 0)
        assert(first != second);
    return 0;
}
