// expect: unsafe threads=1
// line: 23
// ways: concrete
// The addresses of labels in a table that is made once, and are jumped through in turn.
#include <assert.h>
static int run(const char *code)
{
    static const void *const table[] = { &&more, &&twice, &&end };
    int value = 1;
    goto *table[(int)*code++];
more:
    value++;
    goto *table[(int)*code++];
twice:
    value *= 2;
    goto *table[(int)*code++];
end:
    return value;
}
int main(void)
{
    assert(run("\0\1\1\0\2") == 9);
    assert(run("\1\2") == 1);
    return 0;
}
