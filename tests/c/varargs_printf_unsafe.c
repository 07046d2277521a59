// expect: unsafe threads=1
// line: 14
// Arguments of printf are evaluated, once and converted.

#include <assert.h>
#include <stdio.h>

static int n;
static int tick(void) { return ++n; }
int main(void) {
    char c = 'x';
    printf("%d %c %s %5.2f %ld\n", tick(), c, "word", 1.5f, 3L);
    fprintf(stderr, "%u\n", (unsigned)tick());
    assert(n == 0);
    return 0;
}
