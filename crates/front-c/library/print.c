/* <stdio.h>: printing into memory. Formats are read as the program runs, so that they may stand in variables. */
typedef __typeof__(sizeof(0)) size;
typedef __builtin_va_list list;
long long __selvedge_approximation(long long, long long);
long long __selvedge_integer(list, int);
void __selvedge_refuse(const char *);
void *__selvedge_standard(int);

/* A conversion: its flags, its width and precision (-1: none), the bytes of its integer. */
struct conversion {
    int left, plus, space, other, zero, width, precision, bytes;
};

/* A character, if there is room for it and for the zero after it; how many there are then. */
static size put(char *to, size limit, size at, char c)
{
    if (at + 1 < limit)
        to[at] = c;
    return at + 1;
}

static size repeat(char *to, size limit, size at, char c, int times)
{
    for (int i = 0; i < times; i++)
        at = put(to, limit, at, c);
    return at;
}

/* A string of which the length is known. */
static size field(char *to, size limit, size at, const char *s, int length, const struct conversion *how)
{
    if (!how->left)
        at = repeat(to, limit, at, ' ', how->width - length);
    for (int i = 0; i < length; i++)
        at = put(to, limit, at, s[i]);
    return how->left ? repeat(to, limit, at, ' ', how->width - length) : at;
}

/* Digits with a sign or prefix before them; `zeros` stand between the two. */
static size number(char *to, size limit, size at, const char *prefix, const char *digits, int zeros, const struct conversion *how)
{
    int before = 0, count = 0;
    while (prefix[before])
        before++;
    while (digits[count])
        count++;
    int rest = how->width - before - zeros - count;
    if (!how->left && !how->zero)
        at = repeat(to, limit, at, ' ', rest);
    for (int i = 0; i < before; i++)
        at = put(to, limit, at, prefix[i]);
    if (!how->left && how->zero)
        at = repeat(to, limit, at, '0', rest);
    at = repeat(to, limit, at, '0', zeros);
    for (int i = 0; i < count; i++)
        at = put(to, limit, at, digits[i]);
    return how->left ? repeat(to, limit, at, ' ', rest) : at;
}

/* The digits of a number, from the end of `digits` on; where they begin. */
static int digits_of(unsigned long long value, unsigned base, const char *letters, char *digits, int end)
{
    digits[end] = 0;
    while (value) {
        digits[--end] = letters[value % base];
        value /= base;
    }
    return end;
}

static size integer(char *to, size limit, size at, char kind, long long given, struct conversion how)
{
    char digits[24];
    const char *prefix = "";
    unsigned long long value = (unsigned long long)given;
    int is_signed = kind == 'd' || kind == 'i';
    if (how.bytes == 1)
        value = is_signed ? (unsigned long long)(signed char)given : (unsigned char)given;
    else if (how.bytes == 2)
        value = is_signed ? (unsigned long long)(short)given : (unsigned short)given;
    else if (how.bytes == 4)
        value = is_signed ? (unsigned long long)(int)given : (unsigned)given;
    if (is_signed) {
        if ((long long)value < 0) {
            prefix = "-";
            value = -value;
        } else {
            prefix = how.plus ? "+" : how.space ? " " : "";
        }
    }
    unsigned base = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
    if (how.other && base == 16 && value)
        prefix = kind == 'x' ? "0x" : "0X";
    int start = digits_of(value, base, kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", digits, 23);
    int count = 23 - start, least = how.precision < 0 ? 1 : how.precision;
    if (how.precision >= 0)
        how.zero = 0;
    int zeros = least > count ? least - count : 0;
    if (how.other && base == 8 && zeros == 0 && !(count && digits[start] == '0'))
        zeros = 1;
    return number(to, limit, at, prefix, digits + start, zeros, &how);
}

/* `%f` of what is not too large or too small: the bits behind the point are a fraction of 2^64, which gives its digits one by one. */
static size fixed(char *to, size limit, size at, double given, struct conversion how)
{
    char whole[24], behind[24];
    int places = how.precision < 0 ? 6 : how.precision, negative = given < 0;
    double value = negative ? -given : given;
    double fraction = value - (double)(unsigned long long)(value < 9e18 ? value : 0);
    double scaled = fraction * 18446744073709551616.0;
    unsigned long long bits = (unsigned long long)(scaled < 18446744073709551616.0 ? scaled : 0);
    if (!(value < 9e18) || places > 18 || (double)bits != scaled || (value == 0 && 1 / given < 0))
        __selvedge_refuse("the text of a floating number that is infinite, not a number, large, or has many digits");
    unsigned long long above = (unsigned long long)value;
    for (int i = 0; i < places; i++) {
        unsigned __int128 next = (unsigned __int128)bits * 10;
        behind[i] = (char)('0' + (int)(next >> 64));
        bits = (unsigned long long)next;
    }
    behind[places] = 0;
    int odd = (places ? behind[places - 1] - '0' : (int)(above & 1)) & 1;
    int up = bits > 1ull << 63 || (bits == 1ull << 63 && odd);
    for (int i = places - 1; up && i >= 0; i--) {
        up = behind[i] == '9';
        behind[i] = up ? '0' : behind[i] + 1;
    }
    above += up;
    int start = digits_of(above, 10, "0123456789", whole, 22);
    if (start == 22)
        whole[--start] = '0';
    char all[48];
    int length = 0;
    for (int i = start; whole[i]; i++)
        all[length++] = whole[i];
    if (places || how.other)
        all[length++] = '.';
    for (int i = 0; i < places; i++)
        all[length++] = behind[i];
    all[length] = 0;
    return number(to, limit, at, negative ? "-" : how.plus ? "+" : how.space ? " " : "", all, 0, &how);
}

/* The text of an address is not known, but that of null is. */
static size address(char *to, size limit, size at, const void *pointer, const struct conversion *how)
{
    char digits[24];
    if (!pointer)
        return field(to, limit, at, "(nil)", 5, how);
    int length = (int)__selvedge_approximation(3, 2 + 2 * sizeof(void *));
    unsigned long long bits = (unsigned long long)__selvedge_approximation(-0x7fffffffffffffff - 1, 0x7fffffffffffffff);
    digits[0] = '0';
    digits[1] = 'x';
    for (int i = 2; i < length; i++) {
        int digit = (int)(bits >> 4 * (i - 2) & 15);
        digits[i] = (char)(digit + '0' + (digit > 9) * ('a' - '9' - 1));
    }
    return field(to, limit, at, digits, length, how);
}

static size text(char *to, size limit, size at, const char *s, const struct conversion *how)
{
    int length = 0;
    while ((how->precision < 0 || length < how->precision) && s[length])
        length++;
    return field(to, limit, at, s, length, how);
}

/* Prints as many characters as there is room for; how many there would be. */
static int print(char *to, size limit, const char *format, list arguments)
{
    size at = 0;
    for (size i = 0; format[i]; i++) {
        if (format[i] != '%') {
            at = put(to, limit, at, format[i]);
            continue;
        }
        struct conversion how = {0, 0, 0, 0, 0, 0, -1, 4};
        for (i++;; i++) {
            if (format[i] == '-')
                how.left = 1;
            else if (format[i] == '+')
                how.plus = 1;
            else if (format[i] == ' ')
                how.space = 1;
            else if (format[i] == '#')
                how.other = 1;
            else if (format[i] == '0')
                how.zero = 1;
            else
                break;
        }
        if (format[i] == '*') {
            how.width = __builtin_va_arg(arguments, int);
            i++;
            if (how.width < 0) {
                how.left = 1;
                how.width = -how.width;
            }
        }
        while (format[i] >= '0' && format[i] <= '9')
            how.width = how.width * 10 + (format[i++] - '0');
        if (format[i] == '.') {
            how.precision = 0;
            i++;
            if (format[i] == '*') {
                how.precision = __builtin_va_arg(arguments, int);
                i++;
            }
            while (format[i] >= '0' && format[i] <= '9')
                how.precision = how.precision * 10 + (format[i++] - '0');
        }
        if (format[i] == 'h') {
            how.bytes = format[i + 1] == 'h' ? 1 : 2;
            i += format[i + 1] == 'h' ? 2 : 1;
        } else if (format[i] == 'l') {
            how.bytes = format[i + 1] == 'l' ? 8 : sizeof(long);
            i += format[i + 1] == 'l' ? 2 : 1;
        } else if (format[i] == 'z' || format[i] == 't') {
            how.bytes = sizeof(size);
            i++;
        } else if (format[i] == 'j' || format[i] == 'q') {
            how.bytes = 8;
            i++;
        }
        char kind = format[i];
        if (kind == 'd' || kind == 'i' || kind == 'u' || kind == 'o' || kind == 'x' || kind == 'X') {
            at = integer(to, limit, at, kind, __selvedge_integer(arguments, how.bytes < 4 ? 4 : how.bytes), how);
        } else if (kind == 'c' && how.bytes == 4) {
            char c = (char)__builtin_va_arg(arguments, int);
            at = field(to, limit, at, &c, 1, &how);
        } else if (kind == 's' && how.bytes == 4) {
            at = text(to, limit, at, __builtin_va_arg(arguments, const char *), &how);
        } else if (kind == 'p') {
            at = address(to, limit, at, __builtin_va_arg(arguments, const void *), &how);
        } else if (kind == 'f' || kind == 'F') {
            at = fixed(to, limit, at, __builtin_va_arg(arguments, double), how);
        } else if (kind == '%') {
            at = put(to, limit, at, '%');
        } else if (kind == 'n' && how.bytes == 4) {
            *__builtin_va_arg(arguments, int *) = (int)at;
        } else {
            __selvedge_refuse("a format that is not known");
        }
    }
    if (limit > 0)
        to[at < limit ? at : limit - 1] = 0;
    return (int)at;
}

/* Without a bound: no object is so large. */
enum { UNBOUNDED = 0x7fffffff };

static int __selvedge_lib_vsnprintf(char *to, size limit, const char *format, list arguments)
{
    return print(to, limit, format, arguments);
}

static int __selvedge_lib_vsprintf(char *to, const char *format, list arguments)
{
    return print(to, UNBOUNDED, format, arguments);
}

static int __selvedge_lib___vsnprintf_chk(char *to, size limit, int flag, size object, const char *format, list arguments)
{
    return print(to, limit, format, arguments);
}

static int __selvedge_lib___vsprintf_chk(char *to, int flag, size object, const char *format, list arguments)
{
    return print(to, UNBOUNDED, format, arguments);
}

static int __selvedge_lib_snprintf(char *to, size limit, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int length = print(to, limit, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

static int __selvedge_lib_sprintf(char *to, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int length = print(to, UNBOUNDED, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

static int __selvedge_lib___snprintf_chk(char *to, size limit, int flag, size object, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int length = print(to, limit, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

static int __selvedge_lib___sprintf_chk(char *to, int flag, size object, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int length = print(to, UNBOUNDED, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

static int __selvedge_lib_vasprintf(char **to, const char *format, list arguments)
{
    list again;
    __builtin_va_copy(again, arguments);
    int length = print(0, 0, format, again);
    __builtin_va_end(again);
    char *made = __builtin_malloc((size)length + 1);
    if (!made)
        return -1;
    print(made, (size)length + 1, format, arguments);
    *to = made;
    return length;
}

static int __selvedge_lib_asprintf(char **to, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int length = __selvedge_lib_vasprintf(to, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

/* What `vprintf` and its like print goes nowhere: strings are read, characters are counted. */
static int __selvedge_lib_listed_vprintf(const char *format, list arguments)
{
    return print(0, 0, format, arguments);
}
