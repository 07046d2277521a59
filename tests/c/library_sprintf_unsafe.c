// expect: unsafe threads=1
// ways: concrete
// line: 15
// Text is printed as it would be, and cut where there is no room.
#include <assert.h>
#include <stdio.h>
#include <string.h>
static char name[8], line[32];
static const char *format = "%s-%03d %x";
int main(void) {
    int length = snprintf(name, sizeof name, "worker %d", 12);
    assert(length == 9);
    assert(strcmp(name, "worker ") == 0);
    sprintf(line, format, "job", 7, 255);
    assert(strcmp(line, "job-7 ff") == 0);
    return 0;
}
