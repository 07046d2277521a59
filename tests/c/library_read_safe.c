// expect: safe
// ways: concrete
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[3];
    char *got = fgets(line, sizeof line, stdin);
    assert(!got || got == line);
    if (got) assert(line[0] == 0 || line[1] == 0 || line[2] == 0);
    return 0;
}
