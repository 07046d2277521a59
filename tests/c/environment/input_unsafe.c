// expect: unsafe
// stdin: x one\n 3 -4\nend\n
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[16];
    int a, b;
    assert(getchar() == 'x' && ungetc('x', stdin) == 'x');
    assert(fgets(line, sizeof line, stdin) == line && strcmp(line, "x one\n") == 0);
    assert(scanf("%d %d", &a, &b) == 2);
    assert(a + b == 7);
    assert(getc(stdin) == '\n' && !feof(stdin));
    assert(fgets(line, 4, stdin) && strcmp(line, "end") == 0);
    assert(fgets(line, 4, stdin) && line[0] == '\n' && !feof(stdin));
    assert(fgets(line, 4, stdin) == 0 && feof(stdin) && getchar() == EOF);
    return 0;
}
