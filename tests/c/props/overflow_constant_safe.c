// expect: safe
// property: overflow
// about: no run evaluates the constants that overflow: a size, a branch that is not taken, an initialiser
#include <limits.h>

static int first = INT_MAX + 1;
static unsigned high = 1u << 31;

int main(void)
{
    int size = (int)sizeof(INT_MAX + 1);
    if (size != 4)
        first = -(-INT_MAX - 1);
    return high == 0;
}
