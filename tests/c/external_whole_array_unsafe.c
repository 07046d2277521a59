// expect: unsafe threads=1
// line: 9
// An external function given one element may write the whole array.
#include <assert.h>
void fill(int *a);
int main(void) {
    int a[4] = {1, 1, 1, 1};
    fill(&a[1]);
    assert(a[3] == 1);
    return 0;
}
