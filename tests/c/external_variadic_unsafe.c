// expect: unsafe threads=1
// line: 9
#include <assert.h>
void parse(const char *format, ...);
int main(void) {
    int x = 1;
    int y = 2;
    parse("x", y, &x);
    assert(x == 1);
    return 0;
}
