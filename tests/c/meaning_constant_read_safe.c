// expect: safe
// Constants that look alike are different objects.
#include <assert.h>
static const int one = 1, other = 1;
static const char name[] = "selvedge";
int main(void)
{
    const int *at = &one;
    assert(at != &other);
    assert(*at == other && name[0] == 's');
    return 0;
}
