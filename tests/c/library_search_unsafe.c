// expect: unsafe threads=1
// line: 10
// What a search finds lies in its argument.
#include <assert.h>
#include <string.h>
char path[12] = "usr/lib";
int main(void) {
    char *slash = strpbrk(path, "/:");
    *slash = ':';
    assert(strchr(path, '/'));
    return 0;
}
