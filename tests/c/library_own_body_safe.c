// expect: safe
// ways: concrete
// A body in the program wins over the library, and names that are nearly a function's are not that function.
#include <assert.h>
int calls;
int atoi(const char *s) { return 70 + s[0] - '0'; }
void _assert(int condition) { calls++; }
int main(void) {
    assert(atoi("5") == 75);
    _assert(0);
    assert(calls == 1);
    return 0;
}
