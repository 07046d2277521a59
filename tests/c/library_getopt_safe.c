// expect: safe
// ways: concrete
// A command line that the program makes itself is taken apart.
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
static char name[] = "prog", option[] = "-n", value[] = "12", other[] = "file", flag[] = "-v";
int main(void) {
    char *argv[] = {name, other, option, value, flag, 0};
    int number = 0, verbose = 0, c;
    while ((c = getopt(5, argv, "n:v")) != -1) {
        if (c == 'n')
            number = atoi(optarg);
        else if (c == 'v')
            verbose = 1;
    }
    assert(verbose && optind == 4 && argv[optind] == other);
    assert(number == 12);
    return 0;
}
