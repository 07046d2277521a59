// expect: safe
// ways: concrete
#include <assert.h>
#include <stdio.h>
int main(void) {
    int so_far = -1;
    int n = printf("four%n\n", &so_far);
    assert(so_far == 4 && (n == 5 || n < 0));
    return 0;
}
