/* <ctype.h> in the C locale. The functions are lookups in a table of the values -128 to 255, as in glibc. */
int __selvedge_choice(void);
void __selvedge_undefined(const char *);

enum {
    ALNUM = 8, ALPHA = 1024, BLANK = 1, CNTRL = 2, DIGIT = 2048, GRAPH = 32768, LOWER = 512, PRINT = 16384,
    PUNCT = 4, SPACE = 8192, UPPER = 256, XDIGIT = 4096
};

static int digit(int c)
{
    return c >= '0' && c <= '9';
}

static int lower(int c)
{
    return c >= 'a' && c <= 'z';
}

static int upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static void range(int c)
{
    if (c < -128 || c > 255)
        __selvedge_undefined("a function of <ctype.h> was given what is no character");
}

/* Any number that is not 0 stands for true: gcc gives 1 where it expands the call, glibc the bit of its table. */
static int truth(int c, int holds, int bit)
{
    range(c);
    if (!holds)
        return 0;
    return __selvedge_choice() ? bit : 1;
}

static int __selvedge_lib_isdigit(int c) { return truth(c, digit(c), DIGIT); }
static int __selvedge_lib_islower(int c) { return truth(c, lower(c), LOWER); }
static int __selvedge_lib_isupper(int c) { return truth(c, upper(c), UPPER); }
static int __selvedge_lib_isalpha(int c) { return truth(c, lower(c) || upper(c), ALPHA); }
static int __selvedge_lib_isalnum(int c) { return truth(c, digit(c) || lower(c) || upper(c), ALNUM); }
static int __selvedge_lib_isblank(int c) { return truth(c, c == ' ' || c == '\t', BLANK); }
static int __selvedge_lib_isspace(int c) { return truth(c, c == ' ' || (c >= '\t' && c <= '\r'), SPACE); }
static int __selvedge_lib_iscntrl(int c) { return truth(c, (c >= 0 && c < ' ') || c == 127, CNTRL); }
static int __selvedge_lib_isprint(int c) { return truth(c, c >= ' ' && c < 127, PRINT); }
static int __selvedge_lib_isgraph(int c) { return truth(c, c > ' ' && c < 127, GRAPH); }

static int __selvedge_lib_ispunct(int c)
{
    return truth(c, c > ' ' && c < 127 && !digit(c) && !lower(c) && !upper(c), PUNCT);
}

static int __selvedge_lib_isxdigit(int c)
{
    return truth(c, digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'), XDIGIT);
}

static int __selvedge_lib_isascii(int c) { return c >= 0 && c < 128; }
static int __selvedge_lib_toascii(int c) { return c & 127; }

/* glibc reads a negative character as an unsigned one. */
static int __selvedge_lib_tolower(int c)
{
    if (upper(c))
        return c + 32;
    return c >= -128 && c < -1 ? c + 256 : c;
}

static int __selvedge_lib_toupper(int c)
{
    if (lower(c))
        return c - 32;
    return c >= -128 && c < -1 ? c + 256 : c;
}

/* What glibc's own header expands the calls to: pointers into tables, from -128 on. */
static const unsigned short classes[384] = {
    [128 ... 136] = 2, [137] = 8195, [138 ... 141] = 8194, [142 ... 159] = 2, [160] = 24577,
    [161 ... 175] = 49156, [176 ... 185] = 55304, [186 ... 192] = 49156, [193 ... 198] = 54536,
    [199 ... 218] = 50440, [219 ... 224] = 49156, [225 ... 230] = 54792, [231 ... 250] = 50696,
    [251 ... 254] = 49156, [255] = 2,
};
static const unsigned short *classes_from_zero = classes + 128;

static const unsigned short **__selvedge_lib___ctype_b_loc(void)
{
    return &classes_from_zero;
}
