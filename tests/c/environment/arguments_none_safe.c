// expect: safe
// arguments:
#include <assert.h>
#include <string.h>
int main(int argc, char **argv) {
    assert(argc == 1 && !argv[1]);
    assert(strcmp(argv[0], "arguments_none_safe") == 0);
    argv[0][0] = 'A';
    assert(argv[0][0] == 'A');
    return 0;
}
