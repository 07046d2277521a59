// expect: safe
// strlen, strcmp, strcpy, strcat, strchr, memcmp.

#include <assert.h>
#include <string.h>

int main(void) {
    char buffer[8];
    strcpy(buffer, "ab");
    strcat(buffer, "c");
    assert(strlen(buffer) == 3);
    assert(strcmp(buffer, "abc") == 0);
    assert(strcmp("abb", buffer) < 0);
    assert(strncmp(buffer, "abd", 2) == 0);
    assert(strchr(buffer, 'c') == buffer + 2);
    assert(memcmp(buffer, "abc", 4) == 0);
    return 0;
}
