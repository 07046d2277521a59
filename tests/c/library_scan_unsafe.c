// expect: unsafe threads=1
// line: 7
#include <assert.h>
#include <stdio.h>
int main(void) {
    int a = 0, b = 0;
    if (scanf("%d %d", &a, &b) == 2) assert(b == 0);
    return 0;
}
