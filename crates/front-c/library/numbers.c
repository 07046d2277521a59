/* <stdlib.h>, <strings.h>: numbers in strings, signs, bits. */
void __selvedge_set_errno(int);
void __selvedge_undefined(const char *);
void __selvedge_refuse(const char *);
double __selvedge_approximate_double(void);

enum { EINVAL = 22, ERANGE = 34 };

static int __selvedge_lib_abs(int n)
{
    return n < 0 ? -n : n;
}

static long __selvedge_lib_labs(long n)
{
    return n < 0 ? -n : n;
}

static long long __selvedge_lib_llabs(long long n)
{
    return n < 0 ? -n : n;
}

static long long __selvedge_lib_imaxabs(long long n)
{
    return n < 0 ? -n : n;
}

static int __selvedge_lib_ffs(int n)
{
    return __builtin_ffs(n);
}

static int __selvedge_lib_ffsl(long n)
{
    return __builtin_ffsl(n);
}

static int __selvedge_lib_ffsll(long long n)
{
    return __builtin_ffsll(n);
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value of a digit; 99 for what is none. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* A number in a string: its sign, its size, how far it reaches (0: there is none), whether it is greater than `most`. */
struct number {
    int negative, end, beyond;
    unsigned long long size;
};

static struct number parse(const char *s, int base, unsigned long long most, unsigned long long most_negative)
{
    struct number n = {0, 0, 0, 0};
    int i = 0;
    while (is_space(s[i]))
        i++;
    if (s[i] == '-' || s[i] == '+') {
        n.negative = s[i] == '-';
        i++;
    }
    if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && digit(s[i + 2]) < 16) {
        i += 2;
        base = 16;
    }
    if (base == 0)
        base = s[i] == '0' ? 8 : 10;
    unsigned long long limit = n.negative ? most_negative : most;
    int d = digit(s[i]);
    while (d < base) {
        if (n.size > (limit - d) / base)
            n.beyond = 1;
        n.size = n.size * base + d;
        i++;
        n.end = i;
        d = digit(s[i]);
    }
    return n;
}

static int bad_base(int base)
{
    if (base != 0 && (base < 2 || base > 36)) {
        __selvedge_set_errno(EINVAL);
        return 1;
    }
    return 0;
}

static long long signed_number(const char *s, char **end, int base, long long most)
{
    if (bad_base(base))
        return 0;
    struct number n = parse(s, base, most, (unsigned long long)most + 1);
    if (end)
        *end = (char *)s + n.end;
    if (n.beyond) {
        __selvedge_set_errno(ERANGE);
        return n.negative ? -most - 1 : most;
    }
    return n.negative ? -n.size : n.size;
}

static unsigned long long unsigned_number(const char *s, char **end, int base, unsigned long long most)
{
    if (bad_base(base))
        return 0;
    struct number n = parse(s, base, most, most);
    if (end)
        *end = (char *)s + n.end;
    if (n.beyond) {
        __selvedge_set_errno(ERANGE);
        return most;
    }
    return n.negative ? -n.size : n.size;
}

static long __selvedge_lib_strtol(const char *s, char **end, int base)
{
    return signed_number(s, end, base, (long)((unsigned long)-1 / 2));
}

static long long __selvedge_lib_strtoll(const char *s, char **end, int base)
{
    return signed_number(s, end, base, (long long)((unsigned long long)-1 / 2));
}

static long long __selvedge_lib_strtoimax(const char *s, char **end, int base)
{
    return signed_number(s, end, base, (long long)((unsigned long long)-1 / 2));
}

static unsigned long __selvedge_lib_strtoul(const char *s, char **end, int base)
{
    return unsigned_number(s, end, base, (unsigned long)-1);
}

static unsigned long long __selvedge_lib_strtoull(const char *s, char **end, int base)
{
    return unsigned_number(s, end, base, (unsigned long long)-1);
}

static unsigned long long __selvedge_lib_strtoumax(const char *s, char **end, int base)
{
    return unsigned_number(s, end, base, (unsigned long long)-1);
}

/* A number that does not fit is undefined behaviour for the standard; what glibc does is cut off what `strtol` gives. */
static int __selvedge_lib_atoi(const char *s)
{
    return (int)signed_number(s, 0, 10, (long)((unsigned long)-1 / 2));
}

static long __selvedge_lib_atol(const char *s)
{
    return signed_number(s, 0, 10, (long)((unsigned long)-1 / 2));
}

static long long __selvedge_lib_atoll(const char *s)
{
    return signed_number(s, 0, 10, (long long)((unsigned long long)-1 / 2));
}

/* A decimal number is exact where its digits and the power of ten are: then one operation rounds it, as it should be. */
static double __selvedge_lib_strtod(const char *s, char **end)
{
    unsigned long long digits = 0;
    int i = 0, negative = 0, any = 0, exact = 1, power = 0;
    while (is_space(s[i]))
        i++;
    if (s[i] == '-' || s[i] == '+')
        negative = s[i++] == '-';
    if (digit(s[i]) == 18 || digit(s[i]) == 23 || (s[i] == '0' && digit(s[i + 1]) == 33))
        __selvedge_refuse("a number in a string that may be infinite, no number or hexadecimal");
    for (int behind = 0;; i++) {
        if (s[i] == '.' && !behind) {
            behind = 1;
            continue;
        }
        if (s[i] < '0' || s[i] > '9')
            break;
        any = 1;
        power -= behind;
        if (digits > 900719925474098)
            exact = 0;
        else
            digits = digits * 10 + (s[i] - '0');
    }
    if (!any) {
        if (end)
            *end = (char *)s;
        return 0;
    }
    int after = i + 1;
    if ((s[i] == 'e' || s[i] == 'E') && (s[after] == '-' || s[after] == '+'))
        after++;
    if ((s[i] == 'e' || s[i] == 'E') && s[after] >= '0' && s[after] <= '9') {
        int down = s[i + 1] == '-', given = 0;
        for (i = after; s[i] >= '0' && s[i] <= '9'; i++)
            given = given > 9999 ? given : given * 10 + (s[i] - '0');
        power += down ? -given : given;
    }
    if (end)
        *end = (char *)s + i;
    if (!exact || power > 22 || power < -22)
        return __selvedge_approximate_double();
    double value = (double)digits, ten = 1;
    for (int k = power < 0 ? -power : power; k > 0; k--)
        ten *= 10;
    value = power < 0 ? value / ten : value * ten;
    return negative ? -value : value;
}

static double __selvedge_lib_atof(const char *s)
{
    return __selvedge_lib_strtod(s, 0);
}

/* Rounded twice, unless it fits as it is. */
static float __selvedge_lib_strtof(const char *s, char **end)
{
    double value = __selvedge_lib_strtod(s, end);
    return (float)((float)value == value ? value : __selvedge_approximate_double());
}

/* Quotients with their remainders. */
struct int_division {
    int quot, rem;
};
struct long_division {
    long quot, rem;
};
struct long_long_division {
    long long quot, rem;
};

static struct int_division __selvedge_lib_div(int a, int b)
{
    struct int_division result = {a / b, a % b};
    return result;
}

static struct long_division __selvedge_lib_ldiv(long a, long b)
{
    struct long_division result = {a / b, a % b};
    return result;
}

static struct long_long_division __selvedge_lib_lldiv(long long a, long long b)
{
    struct long_long_division result = {a / b, a % b};
    return result;
}
