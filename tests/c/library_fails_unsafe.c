// expect: unsafe threads=1
// line: 9
// An assertion must hold where `fopen` fails, too.

#include <assert.h>
#include <stdio.h>
int main(void) {
    FILE *file = fopen("notes", "w");
    assert(file);
    fclose(file);
    return 0;
}
