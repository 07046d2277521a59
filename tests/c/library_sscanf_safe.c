// expect: safe
// ways: concrete
// Numbers and words are read from a string.
#include <assert.h>
#include <stdio.h>
int main(void) {
    int number = 0, more = 0;
    char word[8];
    int found = sscanf(" 17 apples -3", "%d %7s %d", &number, word, &more);
    assert(found == 3);
    assert(word[0] == 'a' && word[6] == 0);
    assert(number + more == 14);
    return 0;
}
