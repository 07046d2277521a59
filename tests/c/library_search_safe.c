// expect: safe
// ways: concrete
#include <assert.h>
#include <string.h>
char text[16] = "one,two";
int main(void) {
    char *comma = strstr(text, ",t");
    assert(comma == text + 3);
    assert(memchr(text, 'w', sizeof text) == text + 5);
    assert(strrchr(text, 'o') == text + 6 && !strchr(text, 'x'));
    assert(strspn(text, "nope") == 3 && strcspn(text, "t") == 4);
    return 0;
}
