/* <getopt.h>, <unistd.h>: the options of a command line, as glibc finds them: what is no option is moved behind them. */
typedef __typeof__(sizeof(0)) size;

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

enum { DONE = -1, UNKNOWN = '?' };

/* The character that comes next in an element with several options. */
static char *next_option;
/* Elements that are no options, skipped so far: from the first to before the last. */
static int first_skipped, last_skipped;

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

/* Moves the elements from `last_skipped` to before `optind` in front of those that were skipped. */
static void move_skipped(char **argv)
{
    int skipped = last_skipped - first_skipped, moved = optind - last_skipped;
    for (int i = 0; i < moved; i++) {
        char *element = argv[last_skipped + i];
        for (int j = last_skipped + i; j > first_skipped + i; j--)
            argv[j] = argv[j - 1];
        argv[first_skipped + i] = element;
    }
    first_skipped += moved;
    last_skipped = first_skipped + skipped;
}

static int is_option(const char *element)
{
    return element[0] == '-' && element[1];
}

static int is_end(const char *element)
{
    return element[0] == '-' && element[1] == '-' && !element[2];
}

/* How many characters of a name an element gives, `=` excluded. */
static size name_length(const char *given)
{
    size n = 0;
    while (given[n] && given[n] != '=')
        n++;
    return n;
}

/* Whether a name begins with what is given; 2 if it is the same. */
static int matches(const char *name, const char *given, size length)
{
    for (size i = 0; i < length; i++)
        if (name[i] != given[i])
            return 0;
    return name[length] ? 1 : 2;
}

static int long_option(int argc, char **argv, const char *given, int quiet, const struct option *options, int *index)
{
    size length = name_length(given);
    int found = -1, count = 0, exact = 0;
    for (int i = 0; options[i].name; i++) {
        int how = matches(options[i].name, given, length);
        if (how == 2 && !exact) {
            found = i;
            exact = 1;
        } else if (how == 1 && !exact) {
            if (found < 0)
                found = i;
            else if (options[found].has_arg != options[i].has_arg || options[found].flag != options[i].flag || options[found].val != options[i].val)
                count = 2;
        }
    }
    next_option = 0;
    optind++;
    optopt = 0;
    if (found < 0 || (!exact && count > 1))
        return UNKNOWN;
    const struct option *it = &options[found];
    optarg = 0;
    if (given[length] == '=') {
        if (!it->has_arg) {
            optopt = it->val;
            return UNKNOWN;
        }
        optarg = (char *)given + length + 1;
    } else if (it->has_arg == 1) {
        if (optind >= argc) {
            optopt = it->val;
            return quiet ? ':' : UNKNOWN;
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = found;
    if (it->flag) {
        *it->flag = it->val;
        return 0;
    }
    return it->val;
}

/* One character of an element. */
static int short_option(int argc, char **argv, const char *wanted, int quiet)
{
    char c = *next_option++;
    const char *known = wanted;
    while (*known && (*known != c || c == ':' || c == ';'))
        known++;
    if (!*next_option)
        optind++;
    if (!*known) {
        optopt = c;
        return UNKNOWN;
    }
    if (known[1] != ':')
        return c;
    optarg = 0;
    if (*next_option) {
        optarg = next_option;
        optind++;
    } else if (known[2] != ':') {
        if (optind >= argc) {
            optopt = c;
            c = quiet ? ':' : UNKNOWN;
        } else {
            optarg = argv[optind++];
        }
    }
    next_option = 0;
    return c;
}

static int next(int argc, char **argv, const char *wanted, const struct option *options, int *index)
{
    if (argc < 1)
        return DONE;
    optarg = 0;
    if (optind == 0 || first_skipped == 0) {
        if (optind == 0)
            optind = 1;
        first_skipped = last_skipped = optind;
        next_option = 0;
    }
    int in_order = wanted[0] == '+', as_argument = wanted[0] == '-';
    if (in_order || as_argument)
        wanted++;
    int quiet = wanted[0] == ':';
    if (!next_option || !*next_option) {
        if (last_skipped > optind)
            last_skipped = optind;
        if (first_skipped > optind)
            first_skipped = optind;
        if (!in_order && !as_argument) {
            if (first_skipped != last_skipped && last_skipped != optind)
                move_skipped(argv);
            else if (last_skipped != optind)
                first_skipped = optind;
            while (optind < argc && !is_option(argv[optind]))
                optind++;
            last_skipped = optind;
        }
        if (optind < argc && is_end(argv[optind])) {
            optind++;
            if (first_skipped != last_skipped && last_skipped != optind)
                move_skipped(argv);
            else if (first_skipped == last_skipped)
                first_skipped = optind;
            last_skipped = argc;
            optind = argc;
        }
        if (optind >= argc) {
            if (first_skipped != last_skipped)
                optind = first_skipped;
            return DONE;
        }
        if (!is_option(argv[optind])) {
            if (in_order)
                return DONE;
            optarg = argv[optind++];
            return 1;
        }
        if (options && argv[optind][1] == '-')
            return long_option(argc, argv, argv[optind] + 2, quiet, options, index);
        next_option = argv[optind] + 1;
    }
    return short_option(argc, argv, wanted, quiet);
}

static int __selvedge_lib_getopt(int argc, char *const *argv, const char *wanted)
{
    return next(argc, (char **)argv, wanted, 0, 0);
}

static int __selvedge_lib_getopt_long(int argc, char *const *argv, const char *wanted, const void *options, int *index)
{
    return next(argc, (char **)argv, wanted, options, index);
}
