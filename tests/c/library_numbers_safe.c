// expect: safe
// ways: concrete
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *end;
    assert(atoi(" -37x") == -37);
    assert(strtol("0x1fg", &end, 0) == 31 && *end == 'g');
    errno = 0;
    assert(strtol("99999999999999999999", 0, 10) == 0x7fffffffffffffff && errno == ERANGE);
    assert(ffs(24) == 4 && llabs(-5) == 5);
    div_t d = div(-7, 2);
    assert(d.quot == -3 && d.rem == -1);
    return 0;
}
