// expect: safe
// `strlcpy` ends the text also where it just fits.
#include <assert.h>
#include <string.h>

size_t strlcpy(char *, const char *, size_t);

int main(void)
{
    char b[4] = "xyz";
    assert(strlcpy(b, "a", 2) == 1);
    assert(b[0] == 'a' && b[1] == 0 && b[2] == 'z');
}
