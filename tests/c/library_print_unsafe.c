// expect: unsafe threads=1
// line: 7
#include <assert.h>
#include <stdio.h>
int main(void) {
    int count = 0;
    printf("%c%n", 'x', &count), assert(count == 0);
    return 0;
}
