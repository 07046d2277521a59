// expect: unsafe threads=1
// ways: concrete
// line: 12
// What an error means is known.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    const char *text = strerror(EBUSY);
    printf("%s\n", strerror(EAGAIN));
    assert(text[0] == 'E');
    return 0;
}
