// expect: safe
// stdin:
#include <assert.h>
#include <stdio.h>
int main(void) {
    char line[8];
    assert(fread(line, 1, 8, stdin) == 0 && feof(stdin));
    assert(!fgets(line, 8, stdin));
    return 0;
}
