// expect: safe
// ways: concrete
#include <assert.h>
#include <string.h>
int main(void) {
    char words[] = "a bc";
    char *first = strtok(words, " "), *second = strtok(0, " ");
    assert(first == words && second == words + 2 && words[1] == 0 && !strtok(0, " "));
    return 0;
}
