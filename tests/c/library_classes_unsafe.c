// expect: unsafe threads=1
// line: 5
#include <assert.h>
#include <ctype.h>
int main(void) { assert(isxdigit('f') == isxdigit('g')); return 0; }
