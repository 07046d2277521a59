// expect: safe
// ways: concrete
// What an error means is known.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    const char *text = strerror(EBUSY);
    printf("%s\n", strerror(EAGAIN));
    assert(strlen(text) == 23);
    return 0;
}
