// expect: safe
// Arrays of one and of two dimensions.

#include <assert.h>

static int table[2][3] = {{1, 2, 3}, {4, 5}};
int main(void) {
    int sum = 0, a[4] = {0};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            sum += table[i][j];
    a[sum % 4] = 7;
    assert(sum == 15);
    assert(sizeof table / sizeof table[0] == 2);
    assert(2 [a] == 0);
    assert(a[3] == 7 && a[0] == 0);
    return 0;
}
