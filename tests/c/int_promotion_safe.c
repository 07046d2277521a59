// expect: safe
// Narrow operands are promoted to int before they are added.

#include <assert.h>

int main(void) {
    unsigned char a = 200, b = 100;
    int sum = a + b;
    unsigned char narrow = a + b;
    assert(narrow == 44);
    assert(sum == 300);
    assert(~a == -201);
    assert(-b == -100);
    return 0;
}
