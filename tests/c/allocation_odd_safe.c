// expect: safe
// An allocation may have bytes after its last whole element.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *numbers = malloc(6);
    char *bytes = (char *)numbers;
    numbers[0] = 1;
    bytes[5] = 4;
    assert(bytes[5] == 4 && numbers[0] == 1);
    free(numbers);
    return 0;
}
