// expect: safe
// ways: concrete
// undefined: 9 (conversion of a float that does not fit)
// A float that is too large for the integer it is converted to.
#include <assert.h>
float level = 260.7f;
int main(void)
{
    unsigned char byte = level;
    assert(byte != byte);
    return 0;
}
