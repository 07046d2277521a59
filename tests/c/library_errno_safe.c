// expect: safe
// ways: concrete
#include <assert.h>
#include <errno.h>
#include <stdio.h>
int main(void) {
    errno = 0;
    FILE *f = fopen("settings", "r");
    assert(f || errno != 0);
    return 0;
}
