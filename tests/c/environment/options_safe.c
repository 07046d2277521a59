// expect: safe
// arguments: -n 7 --verbose file --level=2
#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
static int verbose;
static const struct option known[] = {
    {"verbose", no_argument, &verbose, 1}, {"level", required_argument, 0, 'l'}, {0, 0, 0, 0}};
int main(int argc, char **argv) {
    int c, number = 0, level = 0;
    while ((c = getopt_long(argc, argv, "n:", known, 0)) != -1) {
        if (c == 'n')
            number = strtol(optarg, 0, 10);
        else if (c == 'l')
            level = atoi(optarg);
        else
            assert(c == 0);
    }
    assert(verbose && number == 7 && level == 2);
    assert(optind == argc - 1 && strcmp(argv[optind], "file") == 0);
    return 0;
}
