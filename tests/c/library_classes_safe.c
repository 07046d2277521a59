// expect: safe
// ways: concrete
#include <assert.h>
#include <ctype.h>
int main(void) {
    assert(isdigit('7') && !isdigit('x') && isspace('\t') && ispunct('!') && !isalpha(-1));
    assert(toupper('q') == 'Q' && tolower('?') == '?');
    return 0;
}
