// expect: safe
// That `fopen` may fail is no undefined behaviour of a program that does not ask: it is assumed to succeed.

#include <assert.h>
#include <stdio.h>

int main(void) {
    FILE *file = fopen("notes", "w");
    int count = fprintf(file, "note");
    fclose(file);
    assert(count <= 4);
    return 0;
}
