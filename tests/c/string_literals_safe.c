// expect: safe
// String literals, their size, escapes and concatenation.

#include <assert.h>

static const char *name = "a\tb" "\x41\101";
static char text[] = "xyz";
int main(void) {
    assert(name[1] == 9 && name[3] == 'A' && name[4] == 65 && name[5] == 0);
    assert(sizeof text == 4 && sizeof "" == 1);
    text[1] = 'q';
    char *p = text;
    int n = 0;
    while (*p++)
        n++;
    assert(n == 3);
    assert(text[1] == 'q');
    assert('\377' == -1);
    return 0;
}
